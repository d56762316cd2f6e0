import { deriveKey } from './derive-key.ts';
import { unwrapWith, wrapWith } from './keys/wrapping.ts';
import type { Random } from './ports/random.ts';

/**
 * Secrets that must be stored so that they can be read again. They are sealed with a key that is derived from the
 * pepper, so the database alone does not reveal them, and bound to their owner, so a row that was copied to another
 * owner does not open. Each purpose has its own key.
 */
export class SealedSecrets {
  readonly #key: Buffer;
  readonly #random: Random;

  constructor(pepper: Buffer, purpose: string, random: Random) {
    this.#key = deriveKey(pepper, purpose);
    this.#random = random;
  }

  seal(ownerId: string, secret: Buffer): Buffer {
    return wrapWith(this.#key, secret, ownerId, this.#random);
  }

  /** Throws LostKey unless it was sealed for this owner and purpose, and is unchanged. */
  open(ownerId: string, sealed: Buffer): Buffer {
    return unwrapWith(this.#key, sealed, ownerId);
  }
}
