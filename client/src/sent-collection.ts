import type { CallOptions, PostOptions } from './call-options.ts';
import { type Caller, pathTo } from './caller.ts';
import type { AddedReceiver, Extension, NewReceiver, Reminded, SentQuery } from './wire.ts';

export interface SentFilter extends Omit<SentQuery, 'limit' | 'cursor'>, CallOptions {}

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

  /** Newest first. */
  list({ signal, ...filter }: SentFilter = {}): AsyncGenerator<Of['listed'], void, void> {
    return this.#caller.list<Of['listed']>(this.#path, filter, { signal });
  }

  /** With the state of every receiver. */
  async get(id: string, options: CallOptions = {}): Promise<Of['details']> {
    return await this.#caller.get(pathTo(this.#path, id), {}, options);
  }

  /** Everything happens or nothing does. `Waybill.send` also uploads the files of a drop. */
  async create(wish: Of['wish'], options: PostOptions = {}): Promise<Of['created']> {
    return await this.#caller.post(this.#path, wish, options);
  }

  /** Finds everything that is wrong with it, and sends nothing. */
  async check(wish: Of['wish'], options: CallOptions = {}): Promise<Of['checked']> {
    return await this.#caller.post(`${this.#path}?dry_run=true`, wish, options);
  }

  /** Ends it at once, or only the link of one receiver. */
  async revoke(id: string, { receiver, ...options }: RevokeOptions = {}): Promise<Of['listed']> {
    return await this.#caller.post(pathTo(this.#path, id, 'revoke'), { receiver }, options);
  }

  /** Moves its deadline. */
  async extend(id: string, extension: Extension, options: PostOptions = {}): Promise<Of['listed']> {
    return await this.#caller.post(pathTo(this.#path, id, 'extend'), extension, options);
  }

  /** Reminds those who can be reached and for whom something is left to do. */
  async remind(id: string, options: PostOptions = {}): Promise<Reminded> {
    return await this.#caller.post(pathTo(this.#path, id, 'remind'), undefined, options);
  }

  async addReceiver(id: string, receiver: NewReceiver, options: PostOptions = {}): Promise<AddedReceiver> {
    return await this.#caller.post(pathTo(this.#path, id, 'receivers'), receiver, options);
  }

  /** Sends a receiver the mail with their link again. */
  async resend(id: string, receiver: number, options: PostOptions = {}): Promise<void> {
    await this.#caller.post(pathTo(this.#path, id, `receivers/${receiver}/resend`), undefined, options);
  }
}
