import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKey } from './derive-key.ts';

const idBytes = 16;

/** Ids with a MAC: whoever has one was given it by us. Nothing is stored, and each purpose has its own key. */
export class SignedIds {
  readonly #key: Buffer;
  readonly #macBytes: number;

  constructor(secret: Buffer, purpose: string, macBytes: number) {
    this.#key = deriveKey(secret, purpose);
    this.#macBytes = macBytes;
  }

  sign(uuid: string): Buffer {
    const id = Buffer.from(uuid.replaceAll('-', ''), 'hex');
    return Buffer.concat([id, this.#computeMac(id)]);
  }

  /** Undefined when it is not one of ours. */
  idIn(signed: Buffer): string | undefined {
    if (signed.length !== idBytes + this.#macBytes) return undefined;
    const id = signed.subarray(0, idBytes);
    if (!timingSafeEqual(signed.subarray(idBytes), this.#computeMac(id))) return undefined;
    return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }

  #computeMac(id: Buffer): Buffer {
    return createHmac('sha256', this.#key).update(id).digest().subarray(0, this.#macBytes);
  }
}
