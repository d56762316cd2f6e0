import type { CheckedDrop, CreatedDrop, Drop, DropDetails, NewDrop } from '../generated/wire.ts';
import type { ApiClient } from '../http/api-client.ts';
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
