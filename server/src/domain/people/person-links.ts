import { SignedIds } from '../signed-ids.ts';

/**
 * The address in a mail at which a person begins to sign in for the first time, or again after losing every sign-in
 * method. Its token is the link's id and a MAC of it, so that the database has nothing that opens it.
 */
export class PersonLinks {
  readonly #ids: SignedIds;
  readonly #publicUrl: string;

  constructor(publicUrl: string, secret: Buffer) {
    this.#publicUrl = publicUrl;
    this.#ids = new SignedIds(secret, 'waybill person links', 16);
  }

  toUrl(linkId: string): string {
    return `${this.#publicUrl}/sign-in/link/${this.#ids.sign(linkId).toString('base64url')}`;
  }

  /** The id of the link that a token belongs to; undefined if the token is not one of ours. */
  findLinkId(token: string): string | undefined {
    return /^[\w-]{43}$/.test(token) ? this.#ids.idIn(Buffer.from(token, 'base64url')) : undefined;
  }
}
