/** An address, or all addresses that begin with the same bits. */
export interface Network {
  readonly bits: string;
  readonly prefix: number;
}

/** Undefined if it is neither an address nor a network. An IPv4 address inside IPv6 counts as IPv4. */
export function parseNetwork(text: string): Network | undefined {
  const [, address = '', suffix] = /^([^/%]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined && suffix === undefined) return parseNetwork(mapped);
  const bits = ipv4.test(address) ? bitsOf(address.split('.'), 10, 8) : ipv6Bits(address);
  if (bits === undefined) return undefined;
  const prefix = suffix === undefined ? bits.length : Number(suffix);
  return prefix > bits.length ? undefined : { bits, prefix };
}

/** Whether every address of `inner` is one of `outer`. */
export function contains(outer: Network, inner: Network): boolean {
  const isSameFamily = outer.bits.length === inner.bits.length;
  return isSameFamily && inner.prefix >= outer.prefix && inner.bits.startsWith(outer.bits.slice(0, outer.prefix));
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

const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

function ipv6Bits(address: string): string | undefined {
  // A URL spells an address in one way only, without an IPv4 address at its end.
  const { hostname } = URL.parse(`http://[${address}]`) ?? {};
  if (hostname === undefined) return undefined;
  const [head = [], tail = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((half) => half.split(':').filter(Boolean));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return bitsOf([...head, ...zeros, ...tail], 16, 16);
}

function bitsOf(parts: readonly string[], radix: number, width: number): string {
  return parts.map((part) => Number.parseInt(part, radix).toString(2).padStart(width, '0')).join('');
}
