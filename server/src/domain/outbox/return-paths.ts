import { SignedIds } from '../signed-ids.ts';

/** Short, because a mail address has at most 64 characters before its @. */
const macBytes = 10;

/**
 * Where a mail is returned to if it cannot be delivered: one address per message, `bounces+TOKEN@example.org`. The
 * token is the message's id and a MAC of it, so that no one can report on a message whose mail they have not seen.
 * Hexadecimal, because some mail servers change the case of an address.
 */
export class ReturnPaths {
  readonly address: string;
  /** Whether reports are read from a mailbox, many at a time, so that every delivery may be reported, too. */
  readonly hasMailbox: boolean;
  readonly #ids: SignedIds;
  readonly #local: string;
  readonly #domain: string;

  constructor(address: string, secret: Buffer, { hasMailbox = false } = {}) {
    this.address = address;
    this.hasMailbox = hasMailbox;
    this.#ids = new SignedIds(secret, 'waybill return paths', macBytes);
    [this.#local = '', this.#domain = ''] = address.toLowerCase().split('@');
  }

  toAddress(messageId: string): string {
    return `${this.#local}+${this.#ids.sign(messageId).toString('hex')}@${this.#domain}`;
  }

  /** The id of the message that an address belongs to; undefined when the address is not one of ours. */
  findMessageId(address: string): string | undefined {
    const [local = '', domain] = address.toLowerCase().split('@');
    const [name, extension = ''] = local.split('+');
    if (domain !== this.#domain || name !== this.#local || !/^[0-9a-f]*$/.test(extension)) return undefined;
    return this.#ids.idIn(Buffer.from(extension, 'hex'));
  }
}
