import { concatBytes, decodeText, encodeText } from '../bytes.ts';
import type { JsonValue } from '../canonical-json.ts';

/** A repeatable source of numbers (mulberry32). */
export function createRandom(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  const pick = <T>(values: readonly T[]): T => {
    const value = values[below(values.length)];
    if (value === undefined) throw new RangeError('there is nothing to pick');
    return value;
  };
  return { below, pick };
}

export type Random = ReturnType<typeof createRandom>;

/** Changes any bytes: flips a bit, or removes, repeats, moves or adds some. */
export function mutateBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const start = random.below(bytes.length);
  const end = Math.min(start + 1 + random.below(40), bytes.length);
  const [before, part, after] = [bytes.subarray(0, start), bytes.subarray(start, end), bytes.subarray(end)];
  return random.pick([
    () => {
      // The slice of a Buffer would share its memory, and the sample would decay.
      const changed = Uint8Array.from(bytes);
      changed[start] = (changed[start] ?? 0) ^ (1 << random.below(8));
      return changed;
    },
    () => concatBytes(before, after),
    () => concatBytes(before, part, part, after),
    () => concatBytes(after, part, before),
    () => concatBytes(before, part.toReversed(), after),
    () => concatBytes(before, Uint8Array.of(random.below(256)), part, after),
    () => bytes.slice(0, end),
    () => bytes.slice(start),
  ])();
}

/** Changes how a document is written, and perhaps its meaning: other forms of numbers and texts, members twice or moved. */
export function mutateNotation(bytes: Uint8Array, random: Random): Uint8Array {
  const text = decodeText(bytes);
  const replaceOne = (pattern: RegExp, replacement: (match: string) => string): string => {
    const matches = [...text.matchAll(pattern)];
    if (matches.length === 0) return `${text} `;
    const match = random.pick(matches);
    return text.slice(0, match.index) + replacement(match[0]) + text.slice(match.index + match[0].length);
  };
  const number = /(?<=":)[0-9]+/g;
  const member = /"[a-z_]+":(?:"[^"\\]*"|[0-9]+),/g;
  return encodeText(
    random.pick([
      () => replaceOne(number, (digits) => `${digits}.0`),
      () => replaceOne(number, (digits) => `${digits}e0`),
      () => replaceOne(number, (digits) => `${digits}.5`),
      () => replaceOne(number, () => '1e400'),
      () => replaceOne(/(?<=":)"(?=[a-z])/g, () => '"\\ud800'),
      () => replaceOne(/(?<="data":\{)/g, () => random.pick(['"a":1.5,', '"a":1e400,', '"a":"\\udc00",'])),
      () => replaceOne(number, (digits) => `0${digits}`),
      () => replaceOne(number, (digits) => `-${digits}`),
      () => replaceOne(number, (digits) => `${digits}0000000000000000000`),
      () => replaceOne(number, (digits) => `"${digits}"`),
      () => replaceOne(member, (pair) => pair + pair),
      () => replaceOne(member, (pair) => pair + pair.replace(/:.*/, ':null,')),
      () => replaceOne(member, () => ''),
      () => replaceOne(/[a-z]/g, (small) => `\\u00${small.charCodeAt(0).toString(16)}`),
      () => replaceOne(/[,:{}[\]]/g, (mark) => `${mark} `),
      () => replaceOne(/[A-Za-z0-9+/]{20}=/g, (base64) => base64.slice(0, -1)),
      () => replaceOne(/"(?:[^"\\]|\\.)*"/g, () => 'null'),
      () => replaceOne(/"(?:[^"\\]|\\.)*"/g, () => '{"__proto__":{}}'),
    ])(),
  );
}

/** Changes one value of a document, or exchanges two of the same type. */
export function mutateValue(document: JsonValue, random: Random): JsonValue {
  const copy = structuredClone(document);
  const places = listPlaces(copy);
  const place = random.pick(places);
  const value = place.read();
  const peers = places.filter((other) => typeof other.read() === typeof value && other.name === place.name);
  const peer = random.pick(peers);
  const exchange = () => {
    const other = peer.read();
    peer.write(value);
    place.write(other);
  };
  const actions: (() => void)[] = [exchange, exchange, place.remove];
  if (typeof value === 'number') {
    actions.push(
      () => place.write(value + 1),
      () => place.write(Math.max(value - 1, 0)),
    );
    actions.push(() => place.write(random.pick([0, 1, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER])));
  }
  if (typeof value === 'string') {
    const at = random.below(value.length + 1);
    const character = random.pick('AZaz09+/=\n —.-'.split(''));
    actions.push(() => place.write(value.slice(0, at) + character + value.slice(at + 1)));
    actions.push(() => place.write(value.slice(0, at)));
    // Lines of notes: dropped, repeated, in another order.
    const lines = value.split('\n');
    const line = random.below(lines.length);
    actions.push(() => place.write(lines.toSpliced(line, 1).join('\n')));
    actions.push(() => place.write(lines.toSpliced(line, 0, lines[line] ?? '').join('\n')));
    actions.push(() => place.write(lines.toReversed().join('\n')));
  }
  if (Array.isArray(value)) {
    const list = value as JsonValue[];
    const at = random.below(list.length + 1);
    actions.push(
      () => place.write(list.toSpliced(at, 1)),
      () => place.write(list.toSpliced(at, 0, list[at] ?? null)),
      () => place.write(list.toReversed()),
      () => place.write(list.slice(0, at)),
      () => place.write([...list, ...list]),
    );
  }
  random.pick(actions)();
  return copy;
}

interface Place {
  readonly name: string;
  read(): JsonValue;
  write(value: JsonValue): void;
  remove(): void;
}

/** Lists every place in a document that holds a value. */
function listPlaces(value: JsonValue): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, JsonValue>;
  return Object.keys(holder).flatMap((name) => [
    {
      name,
      read: () => holder[name] ?? null,
      write: (other: JsonValue) => {
        holder[name] = other;
      },
      remove: () => {
        if (Array.isArray(holder)) holder.splice(Number(name), 1);
        else delete holder[name];
      },
    },
    ...listPlaces(holder[name] ?? null),
  ]);
}
