import type { CallOptions, PostOptions } from './call-options.ts';
import { type Caller, pathTo } from './caller.ts';
import type {
  AddedReceiver,
  CheckedDrop,
  CreatedDrop,
  Drop,
  DropDetails,
  Extension,
  NewDrop,
  NewReceiver,
  Reminded,
  SentQuery,
} from './wire.ts';

export interface DropFilter extends Omit<SentQuery, 'limit' | 'cursor'>, CallOptions {}

export interface RevokeOptions extends PostOptions {
  /** The `id` of a receiver: only their link ends. */
  receiver?: number | undefined;
}

/** What the account has sent. */
export class Drops {
  readonly #caller: Caller;

  /** @internal */
  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Newest first. */
  list({ signal, ...filter }: DropFilter = {}): AsyncGenerator<Drop, void, void> {
    return this.#caller.list<Drop>('drops', filter, { signal });
  }

  /** With the state of every receiver and every file. */
  async get(id: string, options: CallOptions = {}): Promise<DropDetails> {
    return await this.#caller.get(pathTo('drops', id), {}, options);
  }

  /** Sends uploads that are ready. `Waybill.send` does everything. */
  async create(drop: NewDrop, options: PostOptions = {}): Promise<CreatedDrop> {
    return await this.#caller.post('drops', drop, options);
  }

  /** Finds everything that is wrong with a drop, and sends nothing. */
  async check(drop: NewDrop, options: CallOptions = {}): Promise<CheckedDrop> {
    return await this.#caller.post('drops?dry_run=true', drop, options);
  }

  /** Ends a drop at once, or only the link of one receiver. */
  async revoke(id: string, { receiver, ...options }: RevokeOptions = {}): Promise<Drop> {
    return await this.#caller.post(pathTo('drops', id, 'revoke'), { receiver }, options);
  }

  /** Moves its deadline. */
  async extend(id: string, extension: Extension, options: PostOptions = {}): Promise<Drop> {
    return await this.#caller.post(pathTo('drops', id, 'extend'), extension, options);
  }

  /** Reminds those who can be reached and have not everything. */
  async remind(id: string, options: PostOptions = {}): Promise<Reminded> {
    return await this.#caller.post(pathTo('drops', id, 'remind'), undefined, options);
  }

  async addReceiver(id: string, receiver: NewReceiver, options: PostOptions = {}): Promise<AddedReceiver> {
    return await this.#caller.post(pathTo('drops', id, 'receivers'), receiver, options);
  }

  /** Sends a receiver the mail with their link again. */
  async resend(id: string, receiver: number, options: PostOptions = {}): Promise<void> {
    await this.#caller.post(pathTo('drops', id, `receivers/${receiver}/resend`), undefined, options);
  }
}
