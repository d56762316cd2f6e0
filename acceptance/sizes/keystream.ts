import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';

const blockBytes = 16;
const pieceBytes = 256 * 1024;

/**
 * Endless bytes without a pattern, always the same, readable from any offset without the preceding ones: the keystream
 * of AES in counter mode, whose counter is the block's number.
 */
export class Keystream {
  readonly #key: Buffer;

  constructor(seed: string) {
    this.#key = createHash('sha256').update(seed).digest();
  }

  *pieces(start: number, end: number): Generator<Buffer> {
    const counter = Buffer.alloc(blockBytes);
    counter.writeBigUInt64BE(BigInt(Math.floor(start / blockBytes)), blockBytes - 8);
    const cipher = createCipheriv('aes-256-ctr', this.#key, counter);
    const zeros = Buffer.alloc(pieceBytes);
    cipher.update(zeros.subarray(0, start % blockBytes));
    for (let offset = start; offset < end; offset += pieceBytes) {
      yield cipher.update(zeros.subarray(0, Math.min(pieceBytes, end - offset)));
    }
  }

  bytes(start: number, end: number): Buffer {
    return Buffer.concat([...this.pieces(start, end)]);
  }
}

/** Writes a new file of this size without ever holding all of it; returns its SHA-256 in hexadecimal. */
export function writeKeystream(path: string, sizeBytes: number): string {
  const hash = createHash('sha256');
  const target = openSync(path, 'wx');
  for (const piece of new Keystream(randomBytes(16).toString('hex')).pieces(0, sizeBytes)) {
    hash.update(piece);
    writeSync(target, piece);
  }
  closeSync(target);
  return hash.digest('hex');
}
