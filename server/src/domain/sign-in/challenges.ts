import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '../derive-key.ts';
import type { Random } from '../ports/random.ts';

const nonceBytes = 12;
const expiryBytes = 4;
const macBytes = 16;

/**
 * Challenges for authenticators: random bytes, when they expire, and a MAC. Nothing is stored when one is made, so that
 * visitors of the sign-in page cost nothing; the caller remembers those that were used. Each is bound to a text, such as
 * the token of a browser's forms, and worth nothing elsewhere.
 */
export class Challenges {
  readonly #key: Buffer;

  constructor(pepper: Buffer) {
    this.#key = deriveKey(pepper, 'waybill challenge');
  }

  make(random: Random, boundTo: string, now: Date, seconds: number): Buffer {
    const expiry = Buffer.alloc(expiryBytes);
    expiry.writeUInt32BE(Math.floor(now.getTime() / 1000) + seconds);
    const start = Buffer.concat([random.bytes(nonceBytes), expiry]);
    return Buffer.concat([start, this.#computeMac(start, boundTo)]);
  }

  /** Whether it was made here for this, and has not expired. */
  isValid(challenge: Buffer, boundTo: string, now: Date): boolean {
    if (challenge.length !== nonceBytes + expiryBytes + macBytes) return false;
    const start = challenge.subarray(0, nonceBytes + expiryBytes);
    if (!timingSafeEqual(challenge.subarray(start.length), this.#computeMac(start, boundTo))) return false;
    return start.readUInt32BE(nonceBytes) * 1000 > now.getTime();
  }

  #computeMac(start: Buffer, boundTo: string): Buffer {
    return createHmac('sha256', this.#key).update(start).update(boundTo).digest().subarray(0, macBytes);
  }
}

/** The challenge that a response of an authenticator says it responds to; undefined if it is malformed. */
export function readChallenge(response: unknown): Buffer | undefined {
  const { response: inner } = (response ?? {}) as { response?: { clientDataJSON?: unknown } };
  const encoded = inner?.clientDataJSON;
  if (typeof encoded !== 'string' || encoded.length > 8192) return undefined;
  try {
    const { challenge } = JSON.parse(Buffer.from(encoded, 'base64url').toString()) as { challenge?: unknown };
    return typeof challenge === 'string' ? Buffer.from(challenge, 'base64url') : undefined;
  } catch {
    return undefined;
  }
}
