/** Texts that a caller may put anywhere. None of them may ever be a fault of ours. */
export const hostileTexts: readonly string[] = [
  '\0',
  'a\0b',
  '\ud800',
  'a\udfffb',
  '\u202e\u2066\u200f',
  '2030-01-31T12:00:60Z',
  '2030-02-30T24:61:61Z',
  "'; --",
  '%s%n%00',
  '',
  ' ',
  '..',
  '__proto__',
  '-1',
  '1e999',
  '9'.repeat(400),
  'x'.repeat(4000),
  '\u{1f9e8}'.repeat(300),
];

/** Percent-encoded, for a path or a query; a lone surrogate has no encoding. Then some that decode to nothing. */
export const hostileEscapes: readonly string[] = [
  ...hostileTexts.map((text) => encodeURIComponent(text.toWellFormed())),
  '%',
  '%zz',
  '%ff',
  '%c0%af',
  '%ed%a0%80',
  '%f4%90%80%80',
];

/** Values that the parser of a request allows in a header. */
export const hostileHeaders: readonly string[] = hostileTexts
  .filter((text) => /^[\t\x20-\x7e]*$/.test(text))
  .concat('ü', '\xff\xfe', '"', ',', '; =', '9'.repeat(30));

/** Numbers beyond what JSON's reader keeps, which JSON.stringify does not write. */
const hostileNumbers = ['1e999', '-1e999', '9'.repeat(400), '1e-999', '9007199254740993', '-0', '0.1'];

/** Copies of a value as JSON, each with one of its texts, numbers or names replaced. */
export function createHostileJson(value: unknown): string[] {
  const replaceBy = (text: string) => Array.from(variants(value, text), (variant) => JSON.stringify(variant));
  return [
    ...hostileTexts.flatMap((text, index) => replaceBy(text).filter((_, place) => isPaired(place, index))),
    ...hostileNumbers.flatMap((number, index) =>
      replaceBy('HERE')
        .filter((_, place) => isPaired(place, index))
        .map((json) => json.replaceAll('"HERE"', number)),
    ),
  ];
}

/**
 * Whether a text is put into a place, such as a field. Each place gets every third text, and its neighbours the others:
 * every text in every place takes minutes.
 */
export function isPaired(place: number, index: number): boolean {
  return (place + index) % 3 === 0;
}

function* variants(value: unknown, text: string): Generator<unknown, void, void> {
  if (typeof value === 'string' || typeof value === 'number') yield text;
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) for (const one of variants(item, text)) yield value.with(index, one);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      for (const one of variants(item, text)) yield { ...value, [name]: one };
    }
    yield { ...value, [text]: text };
  }
}
