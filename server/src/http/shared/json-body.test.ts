import { fc, test } from '@fast-check/vitest';
import { limits } from '@waybill/protocol';
import { describe, expect } from 'vitest';
import { measureLongestTurn } from '../../../test/longest-turn.ts';
import { parseJson } from './json-body.ts';

const parse = (text: string) => parseJson(Buffer.from(text));
const malformed = expect.objectContaining({ code: 'malformed_request' });
const refused = (text: string | Buffer) => expect(parseJson(Buffer.from(text as string))).rejects.toThrow(malformed);

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

  test.prop([value, fc.constantFrom(undefined, 1, '\t')])(
    'has the same value as with JSON.parse',
    async (any, space) => {
      const text = JSON.stringify(any, null, space);
      expect(await parse(text)).toStrictEqual(JSON.parse(text));
    },
  );

  test.prop([fc.string(), fc.string(), fc.nat()])('is refused if JSON.parse refuses it', async (before, after, cut) => {
    const text = `${before}${JSON.stringify({ a: [before, { b: after }] }).slice(cut % 20)}${after}`;
    let expected: unknown;
    try {
      expected = JSON.parse(text);
    } catch {
      await refused(text);
      return;
    }
    expect(await parse(text)).toStrictEqual(expected);
  });

  test('may name a key in different objects', async () => {
    expect(await parse('[{"a":{"a":[{"a":1},{"a":2}]}},{"a":3}]')).toEqual([
      { a: { a: [{ a: 1 }, { a: 2 }] } },
      { a: 3 },
    ]);
  });

  test('may be a string as long as the body', async () => {
    const long = 'x'.repeat(limits.contactListBytes - 2);
    expect(await parse(JSON.stringify(long))).toBe(long);
  });
});

test('a body of millions of objects, or of thousands of keys in one, is refused; a full contact list is not', async () => {
  await refused(`[${'{},'.repeat(limits.contactListBytes / 4)}{}]`);
  await refused(`{${Array.from({ length: 5_000 }, (_, index) => `"k${index}":0`).join()}}`);
  const contact = { email: 'a@b.example', name: '', phone: '', language: '', groups: ['a'] };
  const full = Array.from({ length: limits.contactsPerAccount }, () => contact);
  expect(await parse(JSON.stringify(full))).toHaveLength(full.length);
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
    async (keys, which, depth) => {
      const members = [...keys, keys[which % keys.length] as string].map((name) => `${JSON.stringify(name)}:0`);
      const text = `${'[{"in":'.repeat(depth)}{${members.join()}}${'}]'.repeat(depth)}`;
      await refused(text);
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

  test('limits nesting', async () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(await parse(nested(limits.jsonDepth))).toHaveLength(1);
    await refused(nested(limits.jsonDepth + 1));
    await refused('{"a":'.repeat(limits.jsonDepth + 1) + '1' + '}'.repeat(limits.jsonDepth + 1));
  });

  test.each([
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['Latin-1', [0x22, 0xe4, 0x22]],
    ['UTF-16', [0x22, 0x00, 0x61, 0x00, 0x22, 0x00]],
  ])('%s is not UTF-8', async (_what, bytes) => {
    await refused(Buffer.from(bytes));
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
  // Other tests run beside this one: see docs/scaling.md, "The event loop", for the bound and its measurement.
  test.each(cases)('%s hold up nobody', async (_what, text) => {
    const body = Buffer.from(text);
    expect(body.length).toBeLessThanOrEqual(max);
    // Invalid JSON is refused; here only the time counts.
    const work = () => parseJson(body).catch(() => undefined);
    await work();
    expect(await measureLongestTurn(work)).toBeLessThan(200);
  });
});
