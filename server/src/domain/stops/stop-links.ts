import { SignedIds } from '../signed-ids.ts';

/**
 * The link in a mail with which its reader stops or reports the sender. Its token is the message's id and a MAC of it:
 * nothing is stored, it still works after the drop has ended, and it opens nothing else.
 */
export class StopLinks {
  readonly #ids: SignedIds;
  readonly #publicUrl: string;

  constructor(publicUrl: string, secret: Buffer) {
    this.#publicUrl = publicUrl;
    this.#ids = new SignedIds(secret, 'waybill stop links', 16);
  }

  of(messageId: string): string {
    return `${this.#publicUrl}/m/${this.#ids.sign(messageId).toString('base64url')}`;
  }

  /** The id of the message that a token belongs to; undefined when the token is not one of ours. */
  findMessageId(token: string): string | undefined {
    return /^[\w-]{43}$/.test(token) ? this.#ids.idIn(Buffer.from(token, 'base64url')) : undefined;
  }
}
