import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Actor } from '../../domain/actor.ts';
import { InvalidParts } from './validation-message.ts';

const tagBytes = 16;

/**
 * Positions in one list, as texts that callers send back. A cursor is valid only for the account, the list and the
 * filter that it was made for; in another list it could be a position that does not exist there, and the caller would
 * miss entries without noticing. It is encrypted, because a position may contain counters of the whole server, which
 * would show an account how busy the others are. The tag is also the initialization vector: equal positions have equal
 * cursors, and different ones never share a key stream.
 */
export class Cursors<Position> {
  readonly #tagKey: Buffer;
  readonly #textKey: Buffer;
  readonly #list: string;

  constructor(pepper: Buffer, { accountId }: Pick<Actor, 'accountId'>, list: string, filter: object = {}) {
    const keys = Buffer.from(hkdfSync('sha256', pepper, accountId, 'waybill cursor', 64));
    this.#tagKey = keys.subarray(0, 32);
    this.#textKey = keys.subarray(32);
    const conditions = Object.entries(filter).filter(([, value]) => value !== undefined);
    this.#list = JSON.stringify([list, conditions.toSorted(([one], [other]) => (one < other ? -1 : 1))]);
  }

  seal(position: Position): string {
    const text = JSON.stringify(position);
    const tag = this.#tag(text);
    const cipher = createCipheriv('aes-256-ctr', this.#textKey, tag);
    return Buffer.concat([tag, cipher.update(text), cipher.final()]).toString('base64url');
  }

  /** `parameter` is the name under which the caller sent it, for the error. */
  open(cursor: string, parameter = 'cursor'): Position {
    const bytes = Buffer.from(cursor, 'base64url');
    const tag = bytes.subarray(0, tagBytes);
    const text = tag.length === tagBytes ? this.#decrypt(tag, bytes.subarray(tagBytes)) : undefined;
    if (text === undefined || !timingSafeEqual(tag, this.#tag(text))) {
      const detail = 'The cursor is not of this list with this filter. Start again without a cursor.';
      throw new InvalidParts([`/${parameter}`], detail, 'query');
    }
    return JSON.parse(text) as Position;
  }

  #decrypt(tag: Buffer, encrypted: Buffer): string {
    const decipher = createDecipheriv('aes-256-ctr', this.#textKey, tag);
    return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString();
  }

  #tag(text: string): Buffer {
    return createHmac('sha256', this.#tagKey).update(`${this.#list}\n${text}`).digest().subarray(0, tagBytes);
  }
}
