import { createHash, createHmac } from 'node:crypto';
import type { Random } from '../ports/random.ts';

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

/**
 * The credential of a program that opened a link. It is stored as a digest that includes its prefix, so that it is no
 * secret of a browser's cookie, nor the other way round. Secret scanners recognise the prefix.
 */
export function makeProgramCredential(random: Random): string {
  return `wbl_${random.bytes(32).toString('base64url')}`;
}

export const isProgramCredential = (text: string) => /^wbl_[A-Za-z0-9_-]{43}$/.test(text);
