import { createHash } from 'node:crypto';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { LostKey } from '../../domain/keys/wrapping.ts';
import type { KeyProvider, MasterKey } from '../../domain/ports/key-provider.ts';
import { askTransit, describe, type TransitOptions, type TransitResponse } from './transit.ts';

/**
 * Master keys in the Transit engine of HashiCorp Vault or OpenBao, which never leave it. The versions are those of its
 * key, of type aes256-gcm96 or another one with associated data.
 */
export function vaultKeyProvider(options: TransitOptions): KeyProvider {
  return {
    async list() {
      return parseVersions(options, requireData(await askTransit(options, 'keys')).data);
    },

    async wrap(dataKey, context) {
      const { data } = requireData(
        await askTransit(options, 'encrypt', {
          plaintext: dataKey.toString('base64'),
          associated_data: Buffer.from(context).toString('base64'),
        }),
      );
      const ciphertext = data['ciphertext'] as string;
      return { wrapped: Buffer.from(ciphertext), version: parseVersion(ciphertext) };
    },

    async unwrap(wrapped, version, context) {
      const ciphertext = wrapped.toString();
      if (parseVersion(ciphertext) !== version) throw new LostKey(`this was not wrapped by version ${version}`);
      const response = await askTransit(options, 'decrypt', {
        ciphertext,
        associated_data: Buffer.from(context).toString('base64'),
      });
      // It has changed, or Vault has no such version of the key. Any other 400 is about a setting.
      if (
        response.status === 400 &&
        response.errors.some((error) => /authentication failed|invalid ciphertext/.test(error))
      ) {
        throw new LostKey(describe(response));
      }
      return Buffer.from(requireData(response).data['plaintext'] as string, 'base64');
    },
  };
}

/** `vault:v3:…` */
function parseVersion(ciphertext: string): number {
  const [, version] = /^vault:v([1-9][0-9]{0,8}):[A-Za-z0-9+/]+={0,2}$/.exec(ciphertext) ?? [];
  if (!version) throw new LostKey('this was not wrapped by Vault');
  return Number(version);
}

/** A key cannot be read, but when its versions were made tells it apart from another one of this name. */
function parseVersions({ keyUrl }: TransitOptions, data: TransitResponse['data']): MasterKey[] {
  const name = keyUrl.slice(keyUrl.lastIndexOf('/') + 1);
  const oldest = Number(data['min_decryption_version'] ?? 1);
  return Object.entries(data['keys'] as Record<string, number>)
    .map(([version, made]) => ({
      version: Number(version),
      fingerprint: createHash('sha256').update(`${name} ${version} ${made}`).digest('hex').slice(0, 32),
    }))
    .filter(({ version }) => version >= oldest)
    .toSorted((a, b) => b.version - a.version);
}

function requireData(response: TransitResponse): TransitResponse {
  if (response.status === 200) return response;
  throw new ExchangeError('unavailable', undefined, {
    cause: new Error(describe(response)),
    engine: 'masterKeys',
  });
}
