// Bytes that somebody made up as a time stamp: each leads to a verdict, soon and with little memory.
import { readFileSync } from 'node:fs';
import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import { concatBytes } from './bytes.ts';
import type { Receipt } from './receipt.ts';
import { maxTokenBytes, readTimeStamp, readTimeStampResponse, TimeStampError } from './time-stamp.ts';
import { parseAuthorities, verifyTimeStamp } from './verify-time-stamp.ts';

/** `npm run lab -- evidence` sets the full size. */
const numRuns = process.env['WAYBILL_FULL_SIZE'] === '1' ? 100_000 : 300;
/** For one token, on a busy machine. */
const [maxMs, maxHeapBytes] = [2_000, 64 * 2 ** 20];

const read = (name: string) => readFileSync(new URL(`../../docs/examples/${name}`, import.meta.url), 'utf8');
const [stamp] = (JSON.parse(read('stamped-receipt.json')) as Receipt).time_stamps ?? [];
if (!stamp) throw new Error('the example has no time stamp');
const token = Uint8Array.from(Buffer.from(stamp.token, 'base64'));
const text = `files.example.org/log/1\n${stamp.size}\n${stamp.root}\n`;
const authorities = parseAuthorities(read('time-stamp-ca.pem'));

/** Writes an element with a length of any size, or with a mark at its end. */
function writeElement(tag: number, isMarked: boolean, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = concatBytes(...parts);
  if (isMarked) return concatBytes(Uint8Array.of(tag | 0x20, 0x80), content, new Uint8Array(2));
  return concatBytes(Uint8Array.of(tag, 0x83, content.length >> 16, content.length >> 8, content.length), content);
}

const tag = fc.constantFrom(1, 2, 3, 4, 5, 6, 0x0c, 0x17, 0x18, 0x24, 0x30, 0x31, 0x80, 0xa0, 0xa1, 0xa3);
const { element } = fc.letrec<{ element: Uint8Array }>((tie) => ({
  element: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.tuple(tag, fc.uint8Array({ maxLength: 12 })).map(([name, bytes]) => writeElement(name, false, bytes)),
    fc
      .tuple(tag, fc.boolean(), fc.array(tie('element'), { maxLength: 6 }))
      .map(([name, isMarked, parts]) => writeElement(name, isMarked, ...parts)),
  ),
}));
const place = fc.nat(token.length);
/** A real token in which some bytes are replaced. */
const spliced = fc
  .tuple(place, place, fc.oneof(element, fc.uint8Array({ maxLength: 40 })))
  .map(([one, other, part]) =>
    concatBytes(token.subarray(0, Math.min(one, other)), part, token.subarray(Math.max(one, other))),
  );
const flipped = fc
  .array(fc.tuple(place, fc.nat(255)), { minLength: 1, maxLength: 4 })
  .map((changes) => changes.reduce((bytes, [at, byte]) => bytes.with(Math.min(at, bytes.length - 1), byte), token));

async function requireVerdict(bytes: Uint8Array): Promise<void> {
  const before = process.memoryUsage();
  const start = performance.now();
  for (const judge of [
    () => readTimeStamp(bytes),
    () => readTimeStampResponse(bytes, text, new Uint8Array(16)),
    () => verifyTimeStamp(bytes, text, authorities),
  ]) {
    try {
      await judge();
    } catch (error) {
      if (!(error instanceof TimeStampError)) throw error;
    }
  }
  expect(performance.now() - start).toBeLessThan(maxMs);
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  expect(heapUsed + arrayBuffers - before.heapUsed - before.arrayBuffers).toBeLessThan(maxHeapBytes);
}

test.prop([fc.oneof(flipped, spliced, element, fc.uint8Array({ maxLength: 2_000 }))], { numRuns })(
  'any bytes lead to a verdict',
  requireVerdict,
);

const fill = (...unit: number[]) =>
  Uint8Array.from({ length: maxTokenBytes - 16 }, (_, at) => unit[at % unit.length] ?? 0);

test.each([
  ['elements in one another', fill(0x30, 0x80)],
  ['elements that end with marks', writeElement(0x30, true, fill(0x30, 0x80, 0, 0))],
  ['lengths of four bytes', fill(0x30, 0x84, 0, 0, 0xff, 0xf0)],
  ['many empty elements', writeElement(0x30, false, fill(0x30, 0))],
  ['many bytes in pieces', writeElement(0x30, false, writeElement(0x24, false, fill(4, 1, 7)))],
  ['a long identifier', writeElement(0x30, false, writeElement(6, false, fill(1)))],
  ['more than is read', new Uint8Array(maxTokenBytes * 16).fill(0x30)],
])('a verdict on %s costs little', async (_name, bytes) => {
  await requireVerdict(bytes);
});
