import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Random } from '../ports/random.ts';
import { LostKey } from './lost-key.ts';

const nonceBytes = 12;
const tagBytes = 16;

/** Wraps a key with another one by AES-256-GCM: a nonce, the encrypted key and a tag, bound to the context. */
export function wrapWith(key: Buffer, dataKey: Buffer, context: string, random: Random): Buffer {
  const nonce = random.bytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(dataKey), cipher.final(), cipher.getAuthTag()]);
}

/** Throws LostKey unless it was wrapped with this key in this context, and is unchanged. */
export function unwrapWith(key: Buffer, wrapped: Buffer, context: string): Buffer {
  if (wrapped.length < nonceBytes + tagBytes) throw new LostKey('A wrapped key is too short.');
  const nonce = wrapped.subarray(0, nonceBytes);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(wrapped.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(wrapped.subarray(nonceBytes, -tagBytes)), decipher.final()]);
  } catch (cause) {
    throw new LostKey('A wrapped key does not open.', { cause });
  }
}
