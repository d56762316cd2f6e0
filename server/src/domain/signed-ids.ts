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

/** Addresses of pages, each with a signed id as its token: nothing is stored that opens them. */
export class SignedLinks {
  readonly #ids: SignedIds;
  readonly #prefix: string;

  constructor(secret: Buffer, purpose: string, prefix: string) {
    this.#ids = new SignedIds(secret, purpose, 16);
    this.#prefix = prefix;
  }

  toUrl(id: string): string {
    return `${this.#prefix}${this.#ids.sign(id).toString('base64url')}`;
  }

  /** The id that a token contains; undefined if the token is not one of ours. */
  findId(token: string): string | undefined {
    return /^[\w-]{43}$/.test(token) ? this.#ids.idIn(Buffer.from(token, 'base64url')) : undefined;
  }
}

/** With which the reader of a mail stops or reports its sender, by the message's id, also after the drop has ended. */
export function makeStopLinks(publicUrl: string, secret: Buffer): SignedLinks {
  return new SignedLinks(secret, 'waybill stop links', `${publicUrl}/m/`);
}

/** At which a person begins to sign in, for the first time or after losing every sign-in method, by the link's id. */
export function makePersonLinks(publicUrl: string, secret: Buffer): SignedLinks {
  return new SignedLinks(secret, 'waybill person links', `${publicUrl}/sign-in/link/`);
}
