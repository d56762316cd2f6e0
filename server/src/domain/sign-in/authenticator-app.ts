import { hkdfSync } from 'node:crypto';
import type { Random } from '../ports/random.ts';

const saltBytes = 32;
/** As RFC 4226 recommends, and as every app accepts. */
const secretBytes = 20;

export function newAppSalt(random: Random): Buffer {
  return random.bytes(saltBytes);
}

/** The secret of a person's authenticator app. It is derived from the pepper, so that the database alone has no codes. */
export function deriveAppSecret(pepper: Buffer, personId: string, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', pepper, salt, `waybill authenticator app ${personId}`, secretBytes));
}
