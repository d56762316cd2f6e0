import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { callbackify } from 'node:util';
import ipaddr from 'ipaddr.js';
import type { buildConnector } from 'undici';
import { isWithin } from '../../domain/accounts/network.ts';

/** The number of addresses of one name that are tried. */
const maxAddresses = 4;

/** The address, or one of the addresses, is not one that requests may go to. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
}

export class UnknownNameError extends Error {
  override readonly name = 'UnknownNameError';
}

interface ConnectorOptions {
  readonly resolveAddresses: ResolveAddresses;
  /** Networks that requests may go to although they are not on the Internet. */
  readonly allowed: readonly string[];
  /** Opens a connection to an address. */
  readonly open: buildConnector.connector;
  /** No address is tried after it. */
  readonly signal: AbortSignal;
}

/**
 * Connects only to addresses that it has checked. A name is looked up once, and the connection is made to what was
 * found: a second look-up could have another result. A name of which only some addresses are forbidden is refused too,
 * because it would be a way to have them tried in turn. The name stays the one that the certificate must be for.
 */
export function guardedConnector({
  resolveAddresses,
  allowed,
  open,
  signal,
}: ConnectorOptions): buildConnector.connector {
  const connect = async (options: buildConnector.Options) => {
    const host = options.hostname.replace(/^\[(.*)\]$/, '$1');
    const addresses = isIP(host) === 0 ? await resolveAddresses(host) : [host];
    if (addresses.length === 0) throw new UnknownNameError('the name has no address');
    if (!addresses.every((address) => mayBeReached(address, allowed))) {
      throw new ForbiddenAddressError('the address is not on the Internet');
    }
    let failure: unknown;
    for (const address of addresses.slice(0, maxAddresses)) {
      signal.throwIfAborted();
      try {
        return await openSocket(open, { ...options, hostname: address });
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
  // Its type says less than undici’s: either the error or the socket is given.
  return callbackify(connect) as unknown as buildConnector.connector;
}

type Socket = NonNullable<Parameters<buildConnector.Callback>[1]>;

function openSocket(open: buildConnector.connector, options: buildConnector.Options): Promise<Socket> {
  return new Promise((resolve, reject) => {
    open(options, (error, socket) => (socket ? resolve(socket) : reject(error ?? new Error('no connection'))));
  });
}

/** The addresses of a name, IPv4 first; none if it has none. Throws when DNS does not respond. */
export type ResolveAddresses = (name: string) => Promise<readonly string[]>;

/**
 * By DNS alone. The system's own look-up would also read its hosts file, but it occupies one of the few threads of this
 * process until the name server responds, and anyone can run a name server that does not.
 */
export function dnsAddresses(timeoutMs = 2_500): ResolveAddresses {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  const ask = async (query: () => Promise<string[]>): Promise<string[]> => {
    try {
      return await query();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENODATA' || code === 'ENOTFOUND') return [];
      throw error;
    }
  };
  return async (name) => {
    const found = await Promise.all([ask(() => resolver.resolve4(name)), ask(() => resolver.resolve6(name))]);
    return found.flat();
  };
}

/** The only part of IPv6 that is given out for the Internet (RFC 4291, 2.4). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether a request that an account asked for may go to this address: an address on the Internet, or one in the
 * operator's list. Everything that has a special meaning is refused: loopback, private and link-local networks,
 * multicast, documentation, and the prefixes of IPv6 that stand for an IPv4 address (NAT64, 6to4, Teredo), because
 * behind them may be any of the others.
 */
export function mayBeReached(address: string, allowed: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  // An IPv4 address inside IPv6 (::ffff:127.0.0.1) reaches what the IPv4 address does.
  const parsed = ipaddr.process(address);
  if (isWithin(allowed, parsed.toString())) return true;
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast);
}
