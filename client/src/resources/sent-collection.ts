import type { CallOptions, PostOptions } from '../call-options.ts';
import type { AddedReceiver, Extension, ListDropsQuery, NewReceiver, ReminderResult } from '../generated/wire.ts';
import { type ApiClient, toPath } from '../http/api-client.ts';
import { type ReceiptOptions, receiptToFile } from '../transfer/receipt-to-file.ts';

/** Filters drops or requests; all are listed by default. */
export interface SentFilter extends Omit<ListDropsQuery, 'limit' | 'cursor'>, CallOptions {}

/** The wire types of drops, or of requests for files. */
interface Shapes {
  input: unknown;
  created: unknown;
  checked: unknown;
  listed: unknown;
  details: unknown;
}

/** The drops, or the requests for files, of the account. The API has the same operations for both. */
export abstract class SentCollection<Types extends Shapes> {
  readonly #api: ApiClient;
  readonly #path: string;

  /** @internal */
  constructor(api: ApiClient, path: string) {
    this.#api = api;
    this.#path = path;
  }

  /** Lists drops or requests, newest first. */
  list({ signal, ...filter }: SentFilter = {}): AsyncGenerator<Types['listed'], void, void> {
    return this.#api.list<Types['listed']>(this.#path, filter, { signal });
  }

  /**
   * Gets a drop or a request, with the state of every receiver.
   *
   * @param id The id of the drop or request.
   */
  async get(id: string, options: CallOptions = {}): Promise<Types['details']> {
    return await this.#api.get(toPath(this.#path, id), {}, options);
  }

  /**
   * Creates a drop or a request and sends it to its receivers. If this fails, nothing is sent to anyone.
   *
   * @param input The drop or request.
   */
  async create(input: Types['input'], options: PostOptions = {}): Promise<Types['created']> {
    return await this.#api.post(this.#path, input, options);
  }

  /**
   * Checks whether `create` would succeed, and sends nothing. Throws an error with all faults.
   *
   * @param input The drop or request.
   */
  async check(input: Types['input'], options: CallOptions = {}): Promise<Types['checked']> {
    return await this.#api.post(`${this.#path}/check`, input, options);
  }

  /**
   * Revokes a drop or a request: all its links end.
   *
   * @param id The id of the drop or request.
   */
  async revoke(id: string, options: PostOptions = {}): Promise<Types['listed']> {
    return await this.#api.post(toPath(this.#path, id, 'revoke'), undefined, options);
  }

  /**
   * Revokes the link of one receiver.
   *
   * @param id The id of the drop or request.
   * @param receiverId The `id` of the receiver.
   */
  async revokeReceiver(id: string, receiverId: number, options: PostOptions = {}): Promise<Types['listed']> {
    return await this.#api.post(toPath(this.#path, id, `receivers/${receiverId}/revoke`), undefined, options);
  }

  /**
   * Changes the deadline of a drop or a request.
   *
   * @param id The id of the drop or request.
   */
  async extend(id: string, extension: Extension, options: PostOptions = {}): Promise<Types['listed']> {
    return await this.#api.post(toPath(this.#path, id, 'extend'), extension, options);
  }

  /**
   * Reminds the receivers that have not downloaded every file, or have sent nothing yet, and can be reached.
   *
   * @param id The id of the drop or request.
   */
  async remind(id: string, options: PostOptions = {}): Promise<ReminderResult> {
    return await this.#api.post(toPath(this.#path, id, 'remind'), undefined, options);
  }

  /**
   * Adds a receiver to a drop or a request.
   *
   * @param id The id of the drop or request.
   */
  async addReceiver(id: string, receiver: NewReceiver, options: PostOptions = {}): Promise<AddedReceiver> {
    return await this.#api.post(toPath(this.#path, id, 'receivers'), receiver, options);
  }

  /**
   * Sends a receiver the mail with their link again.
   *
   * @param id The id of the drop or request.
   * @param receiverId The `id` of the receiver.
   */
  async resend(id: string, receiverId: number, options: PostOptions = {}): Promise<void> {
    await this.#api.post(toPath(this.#path, id, `receivers/${receiverId}/resend`), undefined, options);
  }

  /**
   * Stores the receipt of a receiver in a file: everything that is known about the delivery, with proofs that anyone can
   * verify.
   *
   * @param id The id of the drop or request.
   * @param receiverId The `id` of the receiver.
   * @param path The path of the file.
   */
  async receiptToFile(id: string, receiverId: number, path: string, options: ReceiptOptions = {}): Promise<void> {
    await receiptToFile(this.#api, toPath(this.#path, id, `receivers/${receiverId}/receipt`), path, options);
  }
}
