import type { CallOptions, PostOptions } from '../call-options.ts';
import type { ApiKey, CreatedApiKey, NewApiKey, RevokedApiKeys } from '../generated/wire.ts';
import { type ApiClient, toPath } from '../http/api-client.ts';

/** Options of the revocation of a key. */
export interface RevokeKeyOptions extends CallOptions {
  /** Also revokes all keys that descend from it, and disables the webhooks of all of them. */
  descendants?: boolean;
}

/** The account's API keys. */
export class Keys {
  readonly #api: ApiClient;

  /** @internal */
  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** Lists the live keys, and the most recent expired and revoked ones. */
  async list(options: CallOptions = {}): Promise<ApiKey[]> {
    return (await this.#api.get<{ data: ApiKey[] }>('keys', {}, options)).data;
  }

  /** Creates a key, which may do no more than the key that creates it. Only this response contains the key itself. */
  async create(key: NewApiKey, options: PostOptions = {}): Promise<CreatedApiKey> {
    return await this.#api.post('keys', key, options);
  }

  /**
   * Revokes a key. The key that revokes it must have at least the same rights. Returns how many keys were revoked and
   * how many webhooks were disabled; undefined if the response was lost.
   *
   * @param id The key's id.
   * @param options Whether to revoke the keys that it created, too.
   */
  async revoke(id: string, options: RevokeKeyOptions = {}): Promise<RevokedApiKeys | undefined> {
    const { descendants = false, ...call } = options;
    return await this.#api.delete(`${toPath('keys', id)}${descendants ? '?descendants=true' : ''}`, call);
  }
}
