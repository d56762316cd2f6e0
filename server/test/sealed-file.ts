import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { SealedFile } from '../src/domain/files/file-store.ts';
import { type ByteRange, readSealed } from '../src/domain/files/read-sealed.ts';
import { chunkKey, sealedSegmentBytes, segmentCount, segmentsPerChunk } from '../src/domain/files/sealing.ts';
import { type Ledger, SealedWriter } from '../src/domain/files/write-sealed.ts';
import { createDownloadLimits } from '../src/domain/flow/download-limits.ts';
import { MemoryBudget } from '../src/domain/flow/memory-budget.ts';
import type { DayKeys } from '../src/domain/keys/day-keys.ts';
import type { ObjectStore } from '../src/domain/ports/object-store.ts';
import { deterministicRandom } from './random.ts';

/** The number of objects of a file that was uploaded at once. */
export function chunkCount(sizeBytes: number): number {
  return Math.ceil(segmentCount(sizeBytes) / segmentsPerChunk);
}

const live = new AbortController().signal;
const downloads = createDownloadLimits(64 * 1024 ** 2);

/** Passes data keys through unchanged: how they are wrapped is tested with the day keys. */
export const bareKeys: Pick<DayKeys, 'unwrap'> = { unwrap: async (wrapped) => wrapped };

export const testMemory = new MemoryBudget({
  slabBytes: sealedSegmentBytes,
  bytes: 100 * 1024 ** 2,
  waitMs: 1_000,
  maxWaiting: 10,
});
export const silentLedger: Ledger = {
  claim: async () => undefined,
  beginRun: async () => undefined,
  stored: async () => undefined,
};

/** Seals a plaintext, given in pieces of any size, and returns the row that a reader would be given. */
export async function sealFile(
  objects: ObjectStore,
  plaintext: Buffer,
  options: { seed?: string; pieceBytes?: number } = {},
): Promise<SealedFile> {
  const random = deterministicRandom(options.seed ?? 'a file');
  const file = { dataKey: random.bytes(32), id: random.uuid(), runs: [] };
  const writer = new SealedWriter({
    objects,
    file,
    memory: (flush) => testMemory.openShare('tests', 1, { flush, signal: live }),
    object: 0,
    segment: 0,
    signal: live,
    ledger: silentLedger,
    newRunId: () => random.uuid(),
  });
  const pieceBytes = options.pieceBytes ?? 1024 * 1024;
  for (let start = 0; start < plaintext.length; start += pieceBytes) {
    await writer.write(plaintext.subarray(start, start + pieceBytes));
  }
  await writer.finish();
  await writer.close();
  return {
    accountId: 'an account',
    id: file.id,
    name: 'a.bin',
    path: 'a.bin',
    sizeBytes: plaintext.length,
    sha256: createHash('sha256').update(plaintext).digest(),
    crc32: crc32(plaintext),
    scan: 'clean',
    unscannedReason: null,
    wrappedKey: file.dataKey,
    keyDay: 1,
    runs: [],
  };
}

export async function openFile(
  objects: ObjectStore,
  file: SealedFile,
  range: ByteRange = { start: 0, end: file.sizeBytes },
  signal: AbortSignal = live,
): Promise<Buffer> {
  const read: Buffer[] = [];
  // Copied at once, as a socket would do, because the next piece may use the same memory.
  const engines = { objects, dayKeys: bareKeys, downloads };
  for await (const bytes of readSealed(engines, file, range, signal)) read.push(Buffer.from(bytes));
  return Buffer.concat(read);
}

/**
 * How reading ended, in a word: an error's code, or how many bytes came. A failed assertion then need not print them.
 */
export function describeOutcome(reading: Promise<Buffer>): Promise<string> {
  return reading.then(
    (bytes) => `${bytes.length} bytes`,
    (error: Error & { code?: string }) => error.code ?? error.message,
  );
}

export function listObjectKeys(file: SealedFile): string[] {
  return Array.from({ length: chunkCount(file.sizeBytes) }, (_, chunk) => chunkKey(file.id, chunk));
}
