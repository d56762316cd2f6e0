import { hkdfSync } from 'node:crypto';

/**
 * A key of 256 bits for one purpose. Keys of other purposes and salts, and the secret itself, cannot be computed from it.
 */
export function deriveKey(secret: Buffer, purpose: string, salt: Buffer | string = ''): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, purpose, 32));
}
