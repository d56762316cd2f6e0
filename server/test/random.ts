import { createCipheriv, createHash } from 'node:crypto';
import type { Random } from '../src/domain/ports/random.ts';

/** The same bytes and ids every time for a given seed. */
export function deterministicRandom(seed: string): Random {
  const key = createHash('sha256').update(seed).digest();
  const stream = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  const bytes = (length: number) => stream.update(Buffer.alloc(length));
  return {
    bytes,
    uuid() {
      const hex = bytes(16).toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
  };
}
