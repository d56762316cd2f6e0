import { createHash } from 'node:crypto';
import { BufferPool } from '../domain/files/buffer-pool.ts';
import { type ByteRange, readSealed } from '../domain/files/read-sealed.ts';
import { chunkCount, chunkKey, sealedChunkBytes } from '../domain/files/sealing.ts';
import { SealedWriter } from '../domain/files/write-sealed.ts';
import type { KeyProvider, ObjectStore, SealedFile } from '../domain/ports.ts';
import { deterministicRandom } from './random.ts';

const live = new AbortController().signal;

/** Hands data keys through as they are: how they are wrapped is tested with the key provider. */
export const bareKeys: KeyProvider = {
  currentVersion: 1,
  wrap: async (dataKey) => dataKey,
  unwrap: async (wrapped) => wrapped,
};

/** A pool that knows how many of its buffers are out, now and at most. */
export class CountingPool extends BufferPool {
  out = 0;
  mostOut = 0;

  constructor(buffers = 100) {
    super({ bufferBytes: sealedChunkBytes, buffers, waitMs: 1_000 });
  }

  override async acquire(): Promise<Buffer> {
    const buffer = await super.acquire();
    this.out += 1;
    this.mostOut = Math.max(this.mostOut, this.out);
    return buffer;
  }

  override release(buffer: Buffer): void {
    this.out -= 1;
    super.release(buffer);
  }
}

const pool = new CountingPool();

/** Seals a plaintext, given in pieces of any size, and answers the row a reader would be given. */
export async function sealFile(
  objects: ObjectStore,
  plaintext: Buffer,
  options: { seed?: string; pieceBytes?: number } = {},
): Promise<SealedFile> {
  const random = deterministicRandom(options.seed ?? 'a file');
  const seal = { dataKey: random.bytes(32), fileId: random.uuid() };
  const writer = new SealedWriter({ objects, buffers: pool, seal, signal: live, beforeChunk: async () => undefined });
  const pieceBytes = options.pieceBytes ?? 1024 * 1024;
  for (let start = 0; start < plaintext.length; start += pieceBytes) {
    await writer.write(plaintext.subarray(start, start + pieceBytes));
  }
  await writer.finish();
  return {
    accountId: 'an account',
    id: seal.fileId,
    name: 'a.bin',
    sizeBytes: plaintext.length,
    sha256: createHash('sha256').update(plaintext).digest(),
    scan: 'clean',
    wrappedKey: seal.dataKey,
    keyVersion: 1,
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
  // Copied at once, as a socket would: what comes next may use the same memory.
  for await (const bytes of readSealed({ objects, keys: bareKeys }, file, range, signal)) read.push(Buffer.from(bytes));
  return Buffer.concat(read);
}

/** How reading ended, in a word: an error's code, or how many bytes came. A failed assertion need not print them. */
export function outcomeOf(reading: Promise<Buffer>): Promise<string> {
  return reading.then(
    (bytes) => `${bytes.length} bytes`,
    (error: Error & { code?: string }) => error.code ?? error.message,
  );
}

export function keysOf(file: SealedFile): string[] {
  return Array.from({ length: chunkCount(file.sizeBytes) }, (_, chunk) => chunkKey(file.id, chunk));
}
