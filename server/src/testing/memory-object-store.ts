import { Readable } from 'node:stream';
import { ExchangeError } from '../domain/exchange-error.ts';
import type { ObjectStore } from '../domain/ports.ts';

export interface MemoryObjectStore extends ObjectStore {
  /** What is stored, for a test to look at and to damage. */
  readonly objects: Map<string, Buffer>;
}

/** Keeps the contract of the real store (object-store-contract.ts), fast enough to try thousands of files. */
export function memoryObjectStore(pieceBytes = 64 * 1024): MemoryObjectStore {
  const objects = new Map<string, Buffer>();
  return {
    objects,
    async put(key, body, signal) {
      requireGoing(signal);
      objects.set(key, Buffer.from(body));
    },
    async read(key, { offset, length }, signal) {
      requireGoing(signal);
      const object = objects.get(key);
      if (!object || offset >= object.length) throw new ExchangeError('damaged');
      return Readable.from(pieces(object.subarray(offset, offset + length), pieceBytes), { objectMode: false, signal });
    },
    async delete(keys) {
      for (const key of keys) objects.delete(key);
    },
  };
}

function requireGoing(signal: AbortSignal): void {
  if (signal.aborted) throw new ExchangeError('unavailable', undefined, { cause: signal.reason });
}

function* pieces(bytes: Buffer, pieceBytes: number): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += pieceBytes) yield bytes.subarray(start, start + pieceBytes);
}
