import type { CheckedDrop, CreatedDrop, Drop, DropDetails, NewDrop } from '../generated/wire.ts';
import type { ApiClient } from '../http/api-client.ts';
import { type DeliveryOptions, toDeliveryFields } from './delivery-options.ts';
import { SentCollection } from './sent-collection.ts';
import { type Completion, type CompletionOptions, waitForCompletion } from './wait-for-completion.ts';

interface DropShapes {
  input: NewDrop;
  created: CreatedDrop;
  checked: CheckedDrop;
  listed: Drop;
  details: DropDetails;
}

/** The drops of the account. `Waybill.send` uploads files and creates a drop in one call. */
export class Drops extends SentCollection<DropShapes> {
  readonly #api: ApiClient;

  /** @internal */
  constructor(api: ApiClient) {
    super(api, 'drops');
    this.#api = api;
  }

  /**
   * Sends all files of a live drop again, to others, without uploading them. Without a title or a message, those of the drop
   * are used. What happens to one of the drops does not concern the other.
   *
   * @param id The id of the drop.
   * @param options The receivers, and for how long they can use their links.
   *
   * @example
   * await waybill.drops.sendAgain(drop.id, { to: ['bo@example.org'] });
   */
  async sendAgain(id: string, options: DeliveryOptions): Promise<CreatedDrop> {
    const { signal, idempotencyKey } = options;
    const { title, message, files } = await this.get(id, { signal });
    const input = {
      uploads: [],
      sent_files: files.filter(({ state }) => state === 'available').map((file) => file.id),
      ...(title === null ? {} : { title }),
      ...(message === '' ? {} : { message }),
      ...toDeliveryFields(options),
    };
    return await this.create(input, { signal, idempotencyKey });
  }

  /**
   * Waits until every file was sent in full to every receiver whose link is not revoked, the drop has ended, or the time
   * runs out. Learns of it from the events of the account, or, with a key that has only the scope `send`, by reading the
   * drop every few seconds; such a key can wait for what it sent itself.
   *
   * @param id The id of the drop.
   */
  async waitForCompletion(id: string, options: CompletionOptions = {}): Promise<Completion> {
    const { signal } = options;
    return await waitForCompletion(this.#api, id, () => this.get(id, { signal }), options);
  }
}
