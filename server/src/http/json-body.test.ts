import { fc, test } from '@fast-check/vitest';
import { limits } from '@waybill/protocol';
import { describe, expect } from 'vitest';
import { parseJson } from './json-body.ts';

const parse = (text: string) => parseJson(Buffer.from(text));
const malformed = expect.objectContaining({ code: 'malformed_request' });
const refused = (text: string | Buffer) => {
  expect(() => parseJson(Buffer.from(text as string))).toThrow(malformed);
};

describe('valid JSON', () => {
  const key = fc.string().filter((name) => name !== '__proto__');
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', maxDepth: 8 },
      fc.constantFrom(null, true, false, 0, -1, 1.5e300, '', '{"a":[', '\\"', ':', '\\\\'),
      fc.string({ unit: 'grapheme' }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.array(tie('value')),
      fc.dictionary(key, tie('value')),
    ),
  }));

  test.prop([value, fc.constantFrom(undefined, 1, '\t')])('has the same value as with JSON.parse', (any, space) => {
    const text = JSON.stringify(any, null, space);
    expect(parse(text)).toStrictEqual(JSON.parse(text));
  });

  test.prop([fc.string(), fc.string(), fc.nat()])('is refused if JSON.parse refuses it', (before, after, cut) => {
    const text = `${before}${JSON.stringify({ a: [before, { b: after }] }).slice(cut % 20)}${after}`;
    let expected: unknown;
    try {
      expected = JSON.parse(text);
    } catch {
      refused(text);
      return;
    }
    expect(parse(text)).toStrictEqual(expected);
  });

  test('may name a key in different objects', () => {
    expect(parse('[{"a":{"a":[{"a":1},{"a":2}]}},{"a":3}]')).toEqual([{ a: { a: [{ a: 1 }, { a: 2 }] } }, { a: 3 }]);
  });

  test('may be a string as long as the body', () => {
    const long = 'x'.repeat(limits.contactListBytes - 2);
    expect(parse(JSON.stringify(long))).toBe(long);
  });
});

test('a body of millions of objects, or of thousands of keys in one, is refused; a full contact list is not', () => {
  refused(`[${'{},'.repeat(limits.contactListBytes / 4)}{}]`);
  refused(`{${Array.from({ length: 5_000 }, (_, index) => `"k${index}":0`).join()}}`);
  const contact = { email: 'a@b.example', name: '', phone: '', language: '', groups: ['a'] };
  const full = Array.from({ length: limits.contactsPerAccount }, () => contact);
  expect(parse(JSON.stringify(full))).toHaveLength(full.length);
});

describe('a key twice in one object', () => {
  test.each([
    '{"a":1,"a":1}',
    '{"a":1,"b":2,"a":3}',
    '[[{"x":{"a":1,"a":2}}]]',
    '{"a":{"a":1},"a":2}',
    '{"a":[{"a":1}],"a":2}',
    String.raw`{"a":1,"\u0061":2}`,
    String.raw`{"\u0061":1,"\u0061":2}`,
    String.raw`{"\/":1,"/":2}`,
    String.raw`{"\"":1,"\u0022":2}`,
    String.raw`{"\ud83d\ude00":1,"😀":2}`,
    '{"":1,"":2}',
    '{ "a" : 1 , "a"\n:\t2 }',
    '{"constructor":1,"constructor":2}',
  ])('is refused: %s', refused);

  test.prop([fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 5 }), fc.nat(), fc.nat(6)])(
    'is refused at any depth',
    (keys, which, depth) => {
      const members = [...keys, keys[which % keys.length] as string].map((name) => `${JSON.stringify(name)}:0`);
      const text = `${'[{"in":'.repeat(depth)}{${members.join()}}${'}]'.repeat(depth)}`;
      refused(text);
    },
  );
});

describe('input that JSON.parse accepts', () => {
  test.each([
    '{"__proto__":1}',
    '[{"a":{"__proto__":{"admin":true}}}]',
    String.raw`{"\u005f_proto__":1}`,
    '1e400',
    '[-1e400]',
    '{"desttime":1e309}',
    `[1${'0'.repeat(400)}]`,
  ])('is refused: %s', refused);

  test('limits nesting', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(() => parse(nested(limits.jsonDepth))).not.toThrow();
    refused(nested(limits.jsonDepth + 1));
    refused('{"a":'.repeat(limits.jsonDepth + 1) + '1' + '}'.repeat(limits.jsonDepth + 1));
  });

  test.each([
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['Latin-1', [0x22, 0xe4, 0x22]],
    ['UTF-16', [0x22, 0x00, 0x61, 0x00, 0x22, 0x00]],
  ])('%s is not UTF-8', (_what, bytes) => {
    refused(Buffer.from(bytes));
  });

  test.each(['', ' ', '{', '{"a"}', '[1,]', "{'a':1}", 'NaN', '01', '"\n"', '[] []', ':', '"a":1', '{"a":1}}'])(
    'refuses what is not JSON at all: %s',
    refused,
  );
});

describe('the longest bodies', () => {
  const max = limits.contactListBytes;
  const fill = (piece: string, last: string) => `[${piece.repeat(Math.floor((max - 10) / piece.length))}${last}]`;
  const contact = (index: number) => ({
    email: `someone.with.a.long.name.${index}@department.of.a.customer.example.org`,
    number: '46701234567',
    language: 'sv-SE',
    groups: Array.from({ length: 20 }, (_, group) => `group ${group} of "many" \\ ${index}`),
    nick: 'n'.repeat(80),
  });
  const list = JSON.stringify(Array.from({ length: limits.contactsPerAccount }, (_, index) => contact(index)));

  const cases: [string, string][] = [
    ['a full contact list', list],
    ['small numbers', fill('0,', '0')],
    ['empty objects', fill('{},', '{}')],
    ['empty strings', fill('"",', '""')],
    ['quotes', JSON.stringify('"'.repeat(max / 2 - 10))],
    ['backslashes', JSON.stringify('\\'.repeat(max / 2 - 10))],
    ['keys', `{${Array.from({ length: 500_000 }, (_, index) => `"${index}":0`).join()}}`],
    ['open brackets', '['.repeat(max)],
    ['open quotes', '"\\"'.repeat(max / 3)],
    ['colons', ':'.repeat(max)],
    ['an endless string', `"${'\\"'.repeat(max / 2 - 10)}`],
  ];
  /** The CPU time of this process alone, so that a busy machine does not matter much. */
  const cpuMs = (work: () => unknown): number => {
    const started = process.cpuUsage();
    try {
      work();
    } catch {
      // Invalid JSON is rejected; here only the time counts.
    }
    return process.cpuUsage(started).user / 1000;
  };

  // For comparison: on the small numbers, JSON.parse takes fifty times as long with a reviver as without one.
  test.each(cases)('%s take time in proportion', (_what, text) => {
    const body = Buffer.from(text);
    expect(body.length).toBeLessThanOrEqual(max);
    const plain = cpuMs(() => JSON.parse(text));
    expect(cpuMs(() => parseJson(body))).toBeLessThan(1_000 + 8 * plain);
  });
});
