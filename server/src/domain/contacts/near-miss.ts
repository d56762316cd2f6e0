/** An address that differs by one slip from one that the account knows. */
export interface NearMiss {
  readonly email: string;
  /** The known address, or the same address at the known domain. */
  readonly meant: string;
}

/** A shorter name differs from too many others by one character. */
const minLength = 5;

/**
 * Finds addresses and domains that differ from a known one by a character too much, too few, wrong, or in the wrong
 * place. Looks names up by what is left of them without one character, because comparing each with each would take long.
 */
export function findNearMisses(
  emails: readonly string[],
  known: readonly string[],
  knownDomains: ReadonlySet<string>,
): NearMiss[] {
  const addresses = new Set(known);
  const unknown = emails.filter((email) => !addresses.has(email));
  if (unknown.length === 0) return [];
  const domains = indexByRests(new Set([...known.map(findDomain), ...knownDomains]));
  const nearAddresses = indexByRests(new Set(known.filter((email) => knownDomains.has(findDomain(email)))));
  return unknown.flatMap((email) => {
    const domain = findDomain(email);
    const meant = knownDomains.has(domain)
      ? findNear(nearAddresses, email, (other) => isSlip(findLocalPart(email), findLocalPart(other)))
      : findNear(domains, domain, (other) => isSlip(domain, other));
    if (meant === undefined) return [];
    return [{ email, meant: meant.includes('@') ? meant : `${findLocalPart(email)}@${meant}` }];
  });
}

export const findDomain = (email: string) => email.slice(email.lastIndexOf('@') + 1);
const findLocalPart = (email: string) => email.slice(0, email.lastIndexOf('@'));

function indexByRests(names: ReadonlySet<string>): Map<string, string[]> {
  const index = new Map<string, string[]>();
  for (const name of names) {
    for (const rest of listRests(name)) {
      const others = index.get(rest);
      if (others) others.push(name);
      else index.set(rest, [name]);
    }
  }
  return index;
}

function findNear(
  index: ReadonlyMap<string, readonly string[]>,
  name: string,
  isNear: (other: string) => boolean,
): string | undefined {
  for (const rest of listRests(name)) {
    const found = index.get(rest)?.find((other) => other !== name && isNear(other));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The name, and the name without each of its characters. */
function listRests(name: string): Set<string> {
  const rests = new Set([name]);
  for (let at = 0; at < name.length; at += 1) rests.add(name.slice(0, at) + name.slice(at + 1));
  return rests;
}

/** Whether both differ by one slip. Other digits are another name: "team1" is not "team2". */
export function isSlip(one: string, other: string): boolean {
  if (one === other || Math.min(one.length, other.length) < minLength) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  let end = 0;
  const shorter = Math.min(one.length, other.length) - start;
  while (end < shorter && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const [a, b] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  const isOne = Math.max(a.length, b.length) === 1;
  const isSwap = a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0];
  return (isOne || isSwap) && !/\d/.test(a + b);
}
