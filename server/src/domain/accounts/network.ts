import ipaddr from 'ipaddr.js';

/** An address, or all addresses that begin with the same bits. */
export interface Network {
  readonly address: ipaddr.IPv4 | ipaddr.IPv6;
  readonly prefix: number;
}

/** Returns undefined for a text that is neither an address nor a network. An IPv4 address inside IPv6 is IPv4. */
export function parseNetwork(text: string): Network | undefined {
  const [, written = '', suffix] = /^([^/%]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  // The library takes the deprecated ::192.0.2.1 for ::ffff:192.0.2.1.
  const address = written.replace(/^::(?=\d+\.)/, '::0:');
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return undefined;
  const parsed = suffix === undefined ? ipaddr.process(address) : ipaddr.parse(address);
  const bits = 8 * parsed.toByteArray().length;
  const prefix = suffix === undefined ? bits : Number(suffix);
  return prefix > bits ? undefined : { address: parsed, prefix };
}

/** Whether every address of `inner` is one of `outer`. */
export function contains(outer: Network, inner: Network): boolean {
  const isSameFamily = outer.address.kind() === inner.address.kind();
  return isSameFamily && inner.prefix >= outer.prefix && inner.address.match(outer.address, outer.prefix);
}

/** Whether an address is in one of these networks; null: anywhere. */
export function isWithin(networks: readonly string[] | null, address: string): boolean {
  if (networks === null) return true;
  const caller = parseNetwork(address);
  return caller !== undefined && networks.some((text) => covers(text, caller));
}

/** Whether a key of these networks could do from there all that a key of `wanted` could. */
export function areWithin(networks: readonly string[] | null, wanted: readonly string[] | null): boolean {
  if (networks === null) return true;
  return (
    wanted?.every((text) => {
      const network = parseNetwork(text);
      return network !== undefined && networks.some((outer) => covers(outer, network));
    }) ?? false
  );
}

function covers(text: string, inner: Network): boolean {
  const outer = parseNetwork(text);
  return outer !== undefined && contains(outer, inner);
}

/** The addresses that one subscriber has: the first 64 bits of IPv6, and all of IPv4. */
export function toSubscriber(address: string): string {
  const network = parseNetwork(address);
  if (network?.address.kind() !== 'ipv6') return network?.address.toString() ?? address;
  return Buffer.from(network.address.toByteArray().slice(0, 8)).toString('hex');
}
