import type { CallOptions, PostOptions } from '../call-options.ts';
import type { AddedReceiver, Extension, ListDropsQuery, NewReceiver, ReminderResult } from '../generated/wire.ts';
import { type Caller, pathTo } from '../http/api-client.ts';

/** Which drops or requests to list; all if nothing is given. */
export interface SentFilter extends Omit<ListDropsQuery, 'limit' | 'cursor'>, CallOptions {}

/** What to revoke. */
export interface RevokeOptions extends PostOptions {
  /** The `id` of a receiver: only their link ends. */
  receiver?: number | undefined;
}

/** The forms that drops, or requests for files, have on the wire. */
interface Shapes {
  wish: unknown;
  created: unknown;
  checked: unknown;
  listed: unknown;
  details: unknown;
}

/** What the account has sent to receivers: drops, or requests for files. The API has the same operations for both. */
export abstract class SentCollection<Of extends Shapes> {
  readonly #caller: Caller;
  readonly #path: string;

  /** @internal */
  constructor(caller: Caller, path: string) {
    this.#caller = caller;
    this.#path = path;
  }

  /** Lists them, newest first. */
  list({ signal, ...filter }: SentFilter = {}): AsyncGenerator<Of['listed'], void, void> {
    return this.#caller.list<Of['listed']>(this.#path, filter, { signal });
  }

  /**
   * Gets one with the state of every receiver.
   *
   * @param id Its id.
   */
  async get(id: string, options: CallOptions = {}): Promise<Of['details']> {
    return await this.#caller.get(pathTo(this.#path, id), {}, options);
  }

  /**
   * Sends one: all of it happens, or nothing does.
   *
   * @param wish What to send.
   */
  async create(wish: Of['wish'], options: PostOptions = {}): Promise<Of['created']> {
    return await this.#caller.post(this.#path, wish, options);
  }

  /**
   * Finds everything that `create` would refuse, and sends nothing.
   *
   * @param wish What `create` would be given.
   */
  async check(wish: Of['wish'], options: CallOptions = {}): Promise<Of['checked']> {
    return await this.#caller.post(`${this.#path}?dry_run=true`, wish, options);
  }

  /**
   * Ends it at once, or only the link of one receiver.
   *
   * @param id Its id.
   */
  async revoke(id: string, { receiver, ...options }: RevokeOptions = {}): Promise<Of['listed']> {
    return await this.#caller.post(pathTo(this.#path, id, 'revoke'), { receiver }, options);
  }

  /**
   * Moves its deadline.
   *
   * @param id Its id.
   */
  async extend(id: string, extension: Extension, options: PostOptions = {}): Promise<Of['listed']> {
    return await this.#caller.post(pathTo(this.#path, id, 'extend'), extension, options);
  }

  /**
   * Reminds those who can be reached and for whom something is left to do.
   *
   * @param id Its id.
   */
  async remind(id: string, options: PostOptions = {}): Promise<ReminderResult> {
    return await this.#caller.post(pathTo(this.#path, id, 'remind'), undefined, options);
  }

  /**
   * Sends it to one more receiver.
   *
   * @param id Its id.
   */
  async addReceiver(id: string, receiver: NewReceiver, options: PostOptions = {}): Promise<AddedReceiver> {
    return await this.#caller.post(pathTo(this.#path, id, 'receivers'), receiver, options);
  }

  /**
   * Sends a receiver the mail with their link again.
   *
   * @param id Its id.
   * @param receiver The `id` of the receiver.
   */
  async resend(id: string, receiver: number, options: PostOptions = {}): Promise<void> {
    await this.#caller.post(pathTo(this.#path, id, `receivers/${receiver}/resend`), undefined, options);
  }
}
