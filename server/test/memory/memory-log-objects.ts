import { ExchangeError } from '../../src/domain/exchange-error.ts';
import type { LogObjects } from '../../src/domain/ports/log-objects.ts';

export interface MemoryLogObjects extends LogObjects {
  /** The stored objects by their names, for a test to inspect and to damage. */
  readonly objects: Map<string, Buffer>;
}

/** Fulfils the contract of the real store (log-objects-contract.ts). */
export function memoryLogObjects(): MemoryLogObjects {
  const objects = new Map<string, Buffer>();
  return {
    objects,
    async put(name, bytes, signal) {
      signal.throwIfAborted();
      objects.set(name, Buffer.from(bytes));
    },
    async read(name, maxBytes, signal) {
      signal.throwIfAborted();
      const object = objects.get(name);
      if (object && object.length > maxBytes) throw new ExchangeError('damaged');
      return object && Buffer.from(object);
    },
    async delete(names, signal) {
      signal.throwIfAborted();
      for (const name of names) objects.delete(name);
    },
  };
}
