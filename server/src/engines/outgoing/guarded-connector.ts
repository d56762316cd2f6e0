import { isIP } from 'node:net';
import { callbackify } from 'node:util';
import type { buildConnector } from 'undici';
import { mayBeReached } from './public-address.ts';
import type { ResolveAddresses } from './resolve-addresses.ts';

/** More than this many addresses of one name are not tried. */
const maxAddresses = 4;

/** The address, or one of the addresses, is not one that requests may go to. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
}

export class UnknownNameError extends Error {
  override readonly name = 'UnknownNameError';
}

export interface ConnectorOptions {
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
