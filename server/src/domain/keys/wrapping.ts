import { createCipheriv, createDecipheriv } from 'node:crypto';
import { ExchangeError } from '../exchange-error.ts';
import type { Random } from '../ports/random.ts';

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

/**
 * A stored key that no one can unwrap: it was altered, or the key that wraps it is destroyed or not known. To a reader of
 * the file, the file is damaged.
 */
export class LostKey extends ExchangeError {
  constructor(message: string, options?: ErrorOptions) {
    super('damaged', message, options);
    this.name = 'LostKey';
  }
}

/**
 * Whether a key that could not be unwrapped is lost: its engine responded, and the key or its object is not there or does
 * not open. After any other failure, such as an engine that is away or a token that cannot be read, nothing is known
 * about the key.
 */
export const isLost = (error: unknown): boolean => error instanceof ExchangeError && error.code === 'damaged';
