import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { deriveKey } from '../derive-key.ts';

/** The values that a secret is derived from. */
export interface SecretSource {
  readonly accountId: string;
  readonly webhookId: string;
  /** Random, and new for every secret. */
  readonly salt: Buffer;
}

export const saltBytes = 32;

/** The prefix of the 32 bytes of an Ed25519 key in its DER form (RFC 8410). */
const ed25519PrivateKey = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * The secrets with which requests are signed. They are derived from the pepper and stored nowhere: the database has
 * only a salt, which is worth nothing without the pepper.
 */
export class WebhookSecrets {
  readonly #pepper: Buffer;

  constructor(pepper: Buffer) {
    this.#pepper = pepper;
  }

  /** The secret with which the receiver checks signatures of version 1. */
  deriveSecret(source: SecretSource): string {
    return `whsec_${this.#derive(source, 'v1').toString('base64')}`;
  }

  /** The key with which anyone checks signatures of version 1a. */
  derivePublicKey(source: SecretSource): string {
    const { x } = createPublicKey(this.#privateKey(source)).export({ format: 'jwk' });
    return `whpk_${Buffer.from(x as string, 'base64url').toString('base64')}`;
  }

  /**
   * The headers of a request, by Standard Webhooks 1.0.0. Every source signs twice: by HMAC-SHA-256 (`v1`) and by
   * Ed25519 (`v1a`). There are two sources while the secret is being replaced.
   */
  headersFor(
    message: { readonly id: string; readonly sentAt: Date; readonly body: string },
    sources: readonly SecretSource[],
  ): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
    const timestamp = String(Math.floor(message.sentAt.getTime() / 1000));
    const content = Buffer.from(`${message.id}.${timestamp}.${message.body}`);
    const signatures = sources.flatMap((source) => [
      `v1,${createHmac('sha256', this.#derive(source, 'v1')).update(content).digest('base64')}`,
      `v1a,${sign(null, content, this.#privateKey(source)).toString('base64')}`,
    ]);
    return {
      'webhook-id': message.id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
    };
  }

  #privateKey(source: SecretSource): KeyObject {
    const key = Buffer.concat([ed25519PrivateKey, this.#derive(source, 'v1a')]);
    return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  }

  #derive({ accountId, webhookId, salt }: SecretSource, version: 'v1' | 'v1a'): Buffer {
    return deriveKey(this.#pepper, `waybill webhook ${version} ${accountId} ${webhookId}`, salt);
  }
}
