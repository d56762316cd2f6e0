import { ExchangeError, MissingObject } from '../../src/domain/exchange-error.ts';
import type { ObjectStore } from '../../src/domain/ports/object-store.ts';

export interface MemoryObjectStore extends ObjectStore {
  /** The stored objects, for a test to inspect and to damage. */
  readonly objects: Map<string, Buffer>;
  /** The keys that start with one of these prefixes. */
  keys(...prefixes: readonly string[]): string[];
}

/** Fulfils the contract of the real store (object-store-contract.ts), and is fast enough to try thousands of files. */
export function memoryObjectStore(): MemoryObjectStore {
  const objects = new Map<string, Buffer>();
  return {
    objects,
    keys: (...prefixes) =>
      [...objects.keys()].filter((key) => prefixes.some((prefix) => key.startsWith(prefix))).toSorted(),
    firstByteMs: 0,
    async put(key, pieces, signal) {
      signal.throwIfAborted();
      objects.set(key, Buffer.concat(pieces));
    },
    async read(key, { offset, length }, signal) {
      signal.throwIfAborted();
      const object = objects.get(key);
      if (!object) throw new MissingObject();
      if (offset + length > object.length) throw new ExchangeError('damaged');
      // A separate copy, as if from a network.
      const bytes = Buffer.allocUnsafeSlow(length);
      object.copy(bytes, 0, offset);
      return bytes;
    },
    async delete(keys) {
      for (const key of keys) objects.delete(key);
      return [];
    },
  };
}
