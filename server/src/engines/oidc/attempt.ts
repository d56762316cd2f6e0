import { hkdfSync } from 'node:crypto';
import { LostKey } from '../../domain/keys/lost-key.ts';
import { unwrapWith, wrapWith } from '../../domain/keys/wrapping.ts';
import type { Random } from '../../domain/ports/random.ts';

/** A sign-in that a browser has begun. */
export interface Attempt {
  readonly provider: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnTo: string;
  readonly personId: string | undefined;
  /** In milliseconds. */
  readonly expiresAt: number;
}

const context = 'sign-in through a provider';
/** Browsers store no longer cookies. */
const maxLength = 4_096;

/**
 * Attempts are kept by the browsers that began them, so that nobody can fill a table of ours. Sealing hides the verifier
 * and the nonce from whoever reads the browser's cookies, and shows that the attempt is ours.
 */
export class SealedAttempts {
  readonly #key: Buffer;
  readonly #random: Random;

  constructor(pepper: Buffer, random: Random) {
    this.#key = Buffer.from(hkdfSync('sha256', pepper, '', context, 32));
    this.#random = random;
  }

  seal(attempt: Attempt): string {
    const content = Buffer.from(JSON.stringify(attempt));
    return wrapWith(this.#key, content, context, this.#random).toString('base64url');
  }

  /** Undefined unless it is one of ours that has not expired. */
  open(sealed: string | undefined, now: number): Attempt | undefined {
    if (sealed === undefined || sealed.length > maxLength) return undefined;
    try {
      const content = unwrapWith(this.#key, Buffer.from(sealed, 'base64url'), context);
      const attempt = JSON.parse(content.toString()) as Attempt;
      return now < attempt.expiresAt ? attempt : undefined;
    } catch (error) {
      if (error instanceof LostKey) return undefined;
      throw error;
    }
  }
}
