import { createHmac, hash } from 'node:crypto';
import type { Random } from '../ports/random.ts';

/**
 * `wb_` + 43 characters of base64url (256 random bits) + 6 of checksum. The prefix lets secret scanners recognise a
 * key; the checksum rejects a truncated or mistyped one without a database query.
 */
const shape = /^wb_[A-Za-z0-9_-]{49}$/;
const prefix = 'wb_';
const secretLength = 43;

export function newApiKey(random: Random): string {
  const secret = random.bytes(32).toString('base64url');
  return prefix + secret + checksum(secret);
}

export function isApiKey(text: string): boolean {
  if (!shape.test(text)) return false;
  const secret = text.slice(prefix.length, prefix.length + secretLength);
  return text.endsWith(checksum(secret));
}

/** The part of a key that administrators see later: enough to tell two keys apart, but not enough to use one. */
export function makeHint(apiKey: string): string {
  return `${apiKey.slice(0, 7)}…`;
}

/** A slow hash is not needed: the key has 256 bits, and the pepper is not in the database. */
export function digestApiKey(apiKey: string, pepper: Buffer): Buffer {
  return createHmac('sha256', pepper).update(apiKey).digest();
}

function checksum(secret: string): string {
  return hash('sha256', secret, 'base64url').slice(0, 6);
}
