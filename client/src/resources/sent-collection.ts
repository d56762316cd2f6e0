import type { CallOptions, PostOptions } from '../call-options.ts';
import type { AddedReceiver, Extension, ListDropsQuery, NewReceiver, ReminderResult } from '../generated/wire.ts';
import { type ApiClient, toPath } from '../http/api-client.ts';

/** Which drops or requests to list; all if nothing is given. */
export interface SentFilter extends Omit<ListDropsQuery, 'limit' | 'cursor'>, CallOptions {}

/** What to revoke. */
export interface RevokeOptions extends PostOptions {
  /** The `id` of a receiver: only their link ends. */
  receiver?: number | undefined;
}

/** The forms that drops, or requests for files, have on the wire. */
interface Shapes {
  input: unknown;
  created: unknown;
  checked: unknown;
  listed: unknown;
  details: unknown;
}

/** What the account has sent to receivers: drops, or requests for files. The API has the same operations for both. */
export abstract class SentCollection<Types extends Shapes> {
  readonly #api: ApiClient;
  readonly #path: string;

  /** @internal */
  constructor(api: ApiClient, path: string) {
    this.#api = api;
    this.#path = path;
  }

  /** Lists them, newest first. */
  list({ signal, ...filter }: SentFilter = {}): AsyncGenerator<Types['listed'], void, void> {
    return this.#api.list<Types['listed']>(this.#path, filter, { signal });
  }

  /**
   * Gets one with the state of every receiver.
   *
   * @param id Its id.
   */
  async get(id: string, options: CallOptions = {}): Promise<Types['details']> {
    return await this.#api.get(toPath(this.#path, id), {}, options);
  }

  /**
   * Sends one: all of it happens, or nothing does.
   *
   * @param wish What to send.
   */
  async create(input: Types['input'], options: PostOptions = {}): Promise<Types['created']> {
    return await this.#api.post(this.#path, input, options);
  }

  /**
   * Finds everything that `create` would refuse, and sends nothing.
   *
   * @param wish What `create` would be given.
   */
  async check(input: Types['input'], options: CallOptions = {}): Promise<Types['checked']> {
    return await this.#api.post(`${this.#path}?dry_run=true`, input, options);
  }

  /**
   * Ends it at once, or only the link of one receiver.
   *
   * @param id Its id.
   */
  async revoke(id: string, { receiver, ...options }: RevokeOptions = {}): Promise<Types['listed']> {
    return await this.#api.post(toPath(this.#path, id, 'revoke'), { receiver }, options);
  }

  /**
   * Moves its deadline.
   *
   * @param id Its id.
   */
  async extend(id: string, extension: Extension, options: PostOptions = {}): Promise<Types['listed']> {
    return await this.#api.post(toPath(this.#path, id, 'extend'), extension, options);
  }

  /**
   * Reminds those who can be reached and for whom something is left to do.
   *
   * @param id Its id.
   */
  async remind(id: string, options: PostOptions = {}): Promise<ReminderResult> {
    return await this.#api.post(toPath(this.#path, id, 'remind'), undefined, options);
  }

  /**
   * Sends it to one more receiver.
   *
   * @param id Its id.
   */
  async addReceiver(id: string, receiver: NewReceiver, options: PostOptions = {}): Promise<AddedReceiver> {
    return await this.#api.post(toPath(this.#path, id, 'receivers'), receiver, options);
  }

  /**
   * Sends a receiver the mail with their link again.
   *
   * @param id Its id.
   * @param receiver The `id` of the receiver.
   */
  async resend(id: string, receiver: number, options: PostOptions = {}): Promise<void> {
    await this.#api.post(toPath(this.#path, id, `receivers/${receiver}/resend`), undefined, options);
  }
}
