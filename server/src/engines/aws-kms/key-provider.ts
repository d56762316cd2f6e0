import { createHash } from 'node:crypto';
import {
  DecryptCommand,
  DescribeKeyCommand,
  EncryptCommand,
  IncorrectKeyException,
  InvalidCiphertextException,
  KMSClient,
} from '@aws-sdk/client-kms';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { LostKey } from '../../domain/keys/wrapping.ts';
import type { KeyProvider } from '../../domain/ports/key-provider.ts';

export interface KmsKey {
  readonly version: number;
  /** arn:aws:kms:eu-north-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab */
  readonly arn: string;
}

export interface KmsOptions {
  /** The first one wraps. */
  readonly keys: readonly KmsKey[];
  /** Empty: that of AWS in the region of the first key. */
  readonly endpoint: string;
  readonly timeoutMs?: number;
}

const ignore = () => undefined;
const silent = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

/**
 * Master keys in AWS KMS, which never leave it. The credentials are those that every AWS program finds: of the machine's
 * role, or from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. The SDK repeats what fails for a moment.
 */
export function kmsKeyProvider({ keys, endpoint, timeoutMs = 3_000 }: KmsOptions): KeyProvider {
  const [current] = keys as readonly [KmsKey];
  const client = new KMSClient({
    region: readRegion(current.arn),
    ...(endpoint !== '' && { endpoint }),
    maxAttempts: 3,
    logger: silent,
    requestHandler: { connectionTimeout: timeoutMs, socketTimeout: timeoutMs },
  });
  const makeContext = (context: string) => ({ 'waybill:context': context });
  return {
    list: () =>
      Promise.all(
        keys.map(async ({ version, arn: KeyId }) => {
          const { KeyMetadata } = await client.send(new DescribeKeyCommand({ KeyId })).catch(unavailable);
          const identity = KeyMetadata?.Arn ?? KeyId;
          return { version, fingerprint: createHash('sha256').update(identity).digest('hex').slice(0, 32) };
        }),
      ),

    async wrap(dataKey, context) {
      const encrypt = new EncryptCommand({
        KeyId: current.arn,
        Plaintext: dataKey,
        EncryptionContext: makeContext(context),
      });
      const { CiphertextBlob } = await client.send(encrypt).catch(unavailable);
      return { wrapped: Buffer.from(CiphertextBlob as Uint8Array), version: current.version };
    },

    async unwrap(wrapped, version, context) {
      const key = keys.find((known) => known.version === version);
      if (!key) throw new LostKey(`WAYBILL_KMS_KEYS has no master key of version ${version}`);
      const decrypt = new DecryptCommand({
        KeyId: key.arn,
        CiphertextBlob: wrapped,
        EncryptionContext: makeContext(context),
      });
      const { Plaintext, KeyId } = await client.send(decrypt).catch((error: unknown) => {
        // It has changed, or was not wrapped by this key in this context.
        const isRefused = error instanceof InvalidCiphertextException || error instanceof IncorrectKeyException;
        if (!isRefused && (error as Error).name !== 'ValidationException') return unavailable(error);
        throw new LostKey('KMS does not unwrap this key.', { cause: error });
      });
      if (KeyId !== key.arn) throw new LostKey(`this was not wrapped by version ${version}`);
      return Buffer.from(Plaintext as Uint8Array);
    },
  };
}

const readRegion = (arn: string) => arn.split(':')[3] ?? '';

function unavailable(cause: unknown): never {
  throw new ExchangeError('unavailable', undefined, { cause, engine: 'masterKeys' });
}
