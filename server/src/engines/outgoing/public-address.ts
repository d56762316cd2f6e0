import ipaddr from 'ipaddr.js';
import { isWithin } from '../../domain/accounts/network.ts';

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
