import type { CallOptions, PostOptions } from '../call-options.ts';
import type { ApiKey, CreatedApiKey, NewApiKey, RevokedApiKeys } from '../generated/wire.ts';
import { type ApiClient, toPath } from '../http/api-client.ts';

/** How a key is revoked. */
export interface RevokeKeyOptions extends CallOptions {
  /** Also revokes the keys that it created, those that they created, and so on, and disables the webhooks of all of them. */
  descendants?: boolean;
}

/** The account's keys. */
export class Keys {
  readonly #api: ApiClient;

  /** @internal */
  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** Lists the live keys, and the newest of the others. */
  async list(options: CallOptions = {}): Promise<ApiKey[]> {
    return (await this.#api.get<{ data: ApiKey[] }>('keys', {}, options)).data;
  }

  /** Creates a key that may do no more than the one that creates it. The answer is the only one that has the key itself. */
  async create(key: NewApiKey, options: PostOptions = {}): Promise<CreatedApiKey> {
    return await this.#api.post('keys', key, options);
  }

  /**
   * Revokes a key: it cannot be used any more. The key that revokes it must be allowed to do as much. Returns what was
   * revoked with it and what goes on; nothing if the answer was lost.
   *
   * @param id The key's id.
   * @param options Whether the keys that it created are revoked, too.
   */
  async revoke(id: string, options: RevokeKeyOptions = {}): Promise<RevokedApiKeys | undefined> {
    const { descendants = false, ...call } = options;
    return await this.#api.delete(`${toPath('keys', id)}${descendants ? '?descendants=true' : ''}`, call);
  }
}
