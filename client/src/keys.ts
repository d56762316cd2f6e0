import type { CallOptions, PostOptions } from './call-options.ts';
import { type Caller, pathTo } from './caller.ts';
import type { CreatedKey, Key, NewKey } from './wire.ts';

/** The account's keys. */
export class Keys {
  readonly #caller: Caller;

  /** @internal */
  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Lists the live keys, and the newest of the others. */
  async list(options: CallOptions = {}): Promise<Key[]> {
    return (await this.#caller.get<{ data: Key[] }>('keys', {}, options)).data;
  }

  /** Creates a key that may do no more than the one that creates it. The answer is the only one that has the key itself. */
  async create(key: NewKey, options: PostOptions = {}): Promise<CreatedKey> {
    return await this.#caller.post('keys', key, options);
  }

  /**
   * Revokes a key: it cannot be used any more.
   *
   * @param id The key's id.
   */
  async revoke(id: string, options: CallOptions = {}): Promise<void> {
    await this.#caller.delete(pathTo('keys', id), options);
  }
}
