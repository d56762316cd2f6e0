import { createHmac, hash } from 'node:crypto';
import type { Random } from '../ports/random.ts';

/**
 * `wb_`, or `wb_test_` for a test account, + 43 characters of base64url (256 random bits) + 6 of checksum. The prefix lets
 * secret scanners and people recognise a key, and decides nothing: a key may do what its row says. The checksum rejects a
 * truncated or mistyped one without a database query.
 */
const shape = /^(wb_(?:test_)?)([A-Za-z0-9_-]{43})([A-Za-z0-9_-]{6})$/;
const prefixes = { live: 'wb_', test: 'wb_test_' };
const shownLength = 4;

export function newApiKey(random: Random, mode: keyof typeof prefixes = 'live'): string {
  const secret = random.bytes(32).toString('base64url');
  return prefixes[mode] + secret + checksum(secret);
}

export function isApiKey(text: string): boolean {
  const [, , secret = '', sum] = shape.exec(text) ?? [];
  return sum !== undefined && checksum(secret) === sum;
}

/** The part of a key that administrators see later: enough to tell two keys apart, but not enough to use one. */
export function makeHint(apiKey: string): string {
  const { length } = shape.exec(apiKey)?.[1] ?? prefixes.live;
  return `${apiKey.slice(0, length + shownLength)}…`;
}

/** A slow hash is not needed: the key has 256 bits, and the pepper is not in the database. */
export function digestApiKey(apiKey: string, pepper: Buffer): Buffer {
  return createHmac('sha256', pepper).update(apiKey).digest();
}

function checksum(secret: string): string {
  return hash('sha256', secret, 'base64url').slice(0, 6);
}
