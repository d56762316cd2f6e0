// Functions that promise how they fail: any bytes at all lead to a value, or to the one error that they name.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decodeBase64, decodeHash, encodeText, parseDecimal } from './bytes.ts';
import { parseCheckpoint } from './checkpoint.ts';
import { createVerifier, parseVerifierKey } from './keys.ts';
import { NoteError, openNote } from './note.ts';
import { readAttachedReceipt } from './pdf-attachment.ts';
import { PolicyError, parsePolicy } from './policy.ts';
import { parseReceipt, type Receipt, ReceiptError } from './receipt.ts';
import { makePdf } from './testing/make-pdf.ts';
import { createRandom, mutateBytes } from './testing/mutations.ts';
import { decodeBundle, parseLogPath } from './tiles.ts';
import { readTimeStamp, readTimeStampResponse, TimeStampError } from './time-stamp.ts';
import { decodeProof, formatProof, parseProof } from './tlog-proof.ts';
import { verifyReceipt } from './verify-receipt.ts';
import { parseAuthorities, verifyTimeStamp } from './verify-time-stamp.ts';
import { formatAddCheckpoint, judgeAddCheckpoint, parseAddCheckpoint } from './witness.ts';

const isFullSize = process.env['WAYBILL_FULL_SIZE'] === '1';
const mutations = isFullSize ? 20_000 : 150;
const read = (name: string) => readFileSync(new URL(`../../docs/examples/${name}`, import.meta.url));
const [policyText, json, stamped, pem] = [
  read('receipt-policy.txt'),
  read('receipt.json'),
  read('stamped-receipt.json'),
  read('time-stamp-ca.pem'),
];
const policy = parsePolicy(policyText.toString());
const authorities = parseAuthorities(pem.toString());
const receipt = JSON.parse(stamped.toString()) as Receipt;
const [checkpoint = ''] = receipt.checkpoints;
const token = Buffer.from(receipt.time_stamps?.[0]?.token ?? '', 'base64');
const proof = [new Uint8Array(32)];
const pdf = makePdf([{ name: 'receipt.json', bytes: json }]);
const [key = ''] = /\S+\+\S+\+\S+/.exec(policyText.toString()) ?? [];
const request = formatAddCheckpoint({ oldSize: 3, proof, checkpoint });
const verifiers = [1, 4, 6].map((type) =>
  createVerifier('x', type as 1 | 4 | 6, new Uint8Array(type === 6 ? 1312 : 32).fill(0xff)),
);
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
/** Also with halves of surrogate pairs. */
const utf16 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1').replaceAll('/', '\ud800');

const promises: readonly [string, Uint8Array, (bytes: Uint8Array) => unknown, (new (...all: never[]) => Error)?][] = [
  ['verifyReceipt', stamped, (bytes) => verifyReceipt(bytes, policy, { authorities })],
  ['verifyReceipt of a PDF', pdf, (bytes) => verifyReceipt(bytes, policy)],
  ['parseReceipt', json, parseReceipt, ReceiptError],
  ['readAttachedReceipt', pdf, (bytes) => readAttachedReceipt(bytes, 100_000), ReceiptError],
  ['parsePolicy', policyText, (bytes) => parsePolicy(utf16(bytes)), PolicyError],
  ['parseVerifierKey', encodeText(key), (bytes) => parseVerifierKey(utf16(bytes)), TypeError],
  ['openNote', encodeText(checkpoint), (bytes) => openNote(text(bytes), policy.logs), NoteError],
  ['openNote of UTF-16', encodeText(checkpoint), (bytes) => openNote(utf16(bytes), policy.logs), NoteError],
  ['Verifier.verify', encodeText(checkpoint), (bytes) => verifiers.map((one) => one.verify('x\n1\nx\n', bytes))],
  ['parseCheckpoint', encodeText(checkpoint), (bytes) => parseCheckpoint(utf16(bytes))],
  ['parseProof', encodeText(formatProof({ index: 3, proof, checkpoint })), (bytes) => parseProof(utf16(bytes))],
  ['decodeProof', encodeText(checkpoint), (bytes) => decodeProof(utf16(bytes).split('\n'))],
  ['decodeBase64', encodeText(key), (bytes) => [decodeBase64(utf16(bytes)), decodeHash(utf16(bytes))]],
  ['parseDecimal', encodeText('9007199254740991'), (bytes) => parseDecimal(utf16(bytes))],
  ['parseLogPath', encodeText('tile/0/x001/067.p/3'), (bytes) => parseLogPath(utf16(bytes))],
  ['decodeBundle', new Uint8Array(340), decodeBundle, RangeError],
  [
    'parseAddCheckpoint and judgeAddCheckpoint',
    encodeText(request),
    (bytes) => {
      const parsed = parseAddCheckpoint(text(bytes));
      return parsed && judgeAddCheckpoint({ size: 3, root: new Uint8Array(32) }, parsed, policy.logs);
    },
  ],
  ['parseAuthorities', pem, (bytes) => parseAuthorities(utf16(bytes)), TimeStampError],
  ['readTimeStamp', token, readTimeStamp, TimeStampError],
  ['readTimeStampResponse', token, (bytes) => readTimeStampResponse(bytes, 'x', bytes), TimeStampError],
  ['verifyTimeStamp', token, (bytes) => verifyTimeStamp(bytes, textOfToken(), authorities), TimeStampError],
];

function textOfToken(): string {
  const [stamp] = receipt.time_stamps ?? [];
  return `files.example.org/log/1\n${stamp?.size}\n${stamp?.root}\n`;
}

test.each(promises)('%s keeps its promise', async (_, sample, call, allowed) => {
  const random = createRandom(isFullSize ? Date.now() % 2 ** 31 : 3);
  for (let count = 0; count < mutations; count += 1) {
    let bytes = sample;
    for (let more = random.below(3); more >= 0 && bytes.length > 0; more -= 1) bytes = mutateBytes(bytes, random);
    try {
      await call(bytes);
    } catch (error) {
      const input = Buffer.from(bytes).toString('base64');
      expect(allowed && error instanceof allowed, `${String(error)} for ${input}`).toBe(true);
    }
  }
});
