import { createHash, createHmac } from 'node:crypto';

/**
 * A receiver's token: 256 bits derived from the drop's own random key. The database stores the wrapped key and the
 * token's SHA-256, so that a mail can be written again, but a stolen database opens no link.
 */
export function linkToken(linkKey: Buffer, position: number): string {
  return createHmac('sha256', linkKey).update(`link:${position}`).digest('base64url');
}

export function tokenDigest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
