import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * What is computed from a file's bytes as they pass: the digest that people compare, and the checksum stored in a ZIP.
 */
export class Checksums {
  readonly #sha256 = createHash('sha256');
  #crc32 = 0;

  update(bytes: Buffer): void {
    this.#sha256.update(bytes);
    this.#crc32 = crc32(bytes, this.#crc32);
  }

  /** Once, at the end. */
  result(): { readonly sha256: Buffer; readonly crc32: number } {
    return { sha256: this.#sha256.digest(), crc32: this.#crc32 };
  }
}
