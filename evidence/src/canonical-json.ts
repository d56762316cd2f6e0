/** A value of JSON without fractions, of which events and receipts consist. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/**
 * Returns the canonical form of a value (RFC 8785): keys sorted by their UTF-16 code units, no white space. Numbers must be
 * integers that JavaScript represents exactly, and texts must be well-formed, so that every implementation agrees.
 */
export function toCanonicalJson(value: JsonValue | undefined): string {
  if (value === undefined) throw new TypeError('a member is undefined');
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new TypeError(`${value} is not an exact integer`);
  if (typeof value === 'string' && !value.isWellFormed()) throw new TypeError('a text contains half a surrogate pair');
  if (value === null || typeof value !== 'object') return JSON.stringify(Object.is(value, -0) ? 0 : value);
  if (isList(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .sort()
    .map((key) => `${toCanonicalJson(key)}:${toCanonicalJson(value[key])}`);
  return `{${members.join(',')}}`;
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
