import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { listElements } from './list-elements.ts';
import { collected } from './testing/collected.ts';

async function* inPieces(text: string, pieceBytes: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

async function elements(text: string, list = 'inbox', pieceBytes = 3): Promise<unknown[]> {
  return await collected(listElements(inPieces(text, pieceBytes), list));
}

const pieceBytes = fc.integer({ min: 1, max: 40 });

property.prop([fc.array(fc.jsonValue()), fc.array(fc.jsonValue()), fc.jsonValue(), pieceBytes])(
  'answers what JSON.parse would, however the bytes are cut',
  async (history, inbox, other, size) => {
    const answer = { history, live_drops: '1', other, inbox };
    for (const text of [JSON.stringify(answer), JSON.stringify(answer, undefined, 2)]) {
      const parsed = JSON.parse(text) as typeof answer;
      expect(await elements(text, 'inbox', size)).toEqual(parsed.inbox);
      expect(await elements(text, 'history', size)).toEqual(parsed.history);
    }
  },
);

property.prop([fc.array(fc.jsonValue(), { minLength: 1 }), fc.nat()])(
  'an answer that breaks off anywhere is an error',
  async (inbox, where) => {
    const text = JSON.stringify({ history: [{ files: ['a'] }], inbox });
    await expect(elements(text.slice(0, where % text.length))).rejects.toThrow('cannot be read');
  },
);

test('an element is given out before the rest has arrived', async () => {
  async function* first(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('{"inbox":[{"url":"a"},{"u');
    throw new Error('nobody should ask for more');
  }
  for await (const element of listElements(first(), 'inbox')) {
    expect(element).toEqual({ url: 'a' });
    break;
  }
});

describe('is not taken for a list', () => {
  test.each([
    ['[1]', 'an array'],
    ['{"inbox":[1]}x', 'something behind it'],
    ['{"inbox":[1,,2]}', 'a missing element'],
    ['{"inbox":[1,]}', 'a trailing comma'],
    ['{"inbox":[1 2]}', 'two elements without a comma'],
    ['{"a" "b","inbox":[]}', 'a key without a value'],
    ['{"inbox":[{]}]}', 'a wrong bracket'],
    ['', 'nothing'],
  ])('%s: %s', async (text) => {
    await expect(elements(text)).rejects.toThrow('cannot be read');
  });
});

test('an element without an end is given up', async () => {
  async function* endless(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('{"inbox":["');
    for (;;) yield Buffer.alloc(1024 * 1024, 'a');
  }
  await expect(collected(listElements(endless(), 'inbox'))).rejects.toThrow('longer than');
});
