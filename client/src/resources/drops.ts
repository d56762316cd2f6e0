import type { CallOptions, PostOptions } from '../call-options.ts';
import type {
  CheckedDrop,
  CreatedDrop,
  CreatedSharedLink,
  Drop,
  DropDetails,
  NewDrop,
  SharedLink,
  SharedLinkList,
} from '../generated/wire.ts';
import type { ApiClient } from '../http/api-client.ts';
import {
  type DeliveryOptions,
  type SharedLinkOptions,
  toDeliveryFields,
  toSharedLinkFields,
} from './delivery-options.ts';
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
  async sendAgain(
    id: string,
    options: DeliveryOptions & { readonly sharedLink?: SharedLinkOptions | undefined },
  ): Promise<CreatedDrop> {
    const { signal, idempotencyKey, sharedLink } = options;
    const { title, message, files } = await this.get(id, { signal });
    const input = {
      uploads: [],
      sent_files: files.filter(({ state }) => state === 'available').map((file) => file.id),
      ...(title === null ? {} : { title }),
      ...(message === '' ? {} : { message }),
      ...toDeliveryFields(options, sharedLink !== undefined),
      ...(sharedLink && { shared_link: toSharedLinkFields(sharedLink) }),
    };
    return await this.create(input, { signal, idempotencyKey });
  }

  /**
   * Lists the shared links of a drop, and how often each was downloaded.
   *
   * @param id The id of the drop.
   */
  async listSharedLinks(id: string, options: CallOptions = {}): Promise<SharedLink[]> {
    const path = `drops/${encodeURIComponent(id)}/shared-links`;
    return (await this.#api.get<SharedLinkList>(path, {}, options)).shared_links;
  }

  /**
   * Makes a link of a drop to share: for all receivers, who each enter a code, or for anybody who has it.
   *
   * @param id The id of the drop.
   * @param link The kind of the link, and when it ends.
   */
  async createSharedLink(id: string, link: SharedLinkOptions, options: PostOptions = {}): Promise<CreatedSharedLink> {
    return await this.#api.post(`drops/${encodeURIComponent(id)}/shared-links`, toSharedLinkFields(link), options);
  }

  /**
   * Ends a shared link at once. Receivers keep theirs.
   *
   * @param id The id of the drop.
   * @param linkId The `id` of the link.
   */
  async revokeSharedLink(id: string, linkId: number, options: PostOptions = {}): Promise<SharedLink> {
    return await this.#api.post(`drops/${encodeURIComponent(id)}/shared-links/${linkId}/revoke`, undefined, options);
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
