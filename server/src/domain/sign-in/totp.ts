import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '../derive-key.ts';
import type { Random } from '../ports/random.ts';

/** As in RFC 6238, with the values that every authenticator app supports: SHA-1, 30 seconds, 6 digits. */
const stepSeconds = 30;
const digits = 6;
const secretBytes = 20;
/** The clock of a phone may differ by this many steps. */
const toleranceSteps = 1;

/** New for every authenticator app, and stored. */
export function newTotpSalt(random: Random): Buffer {
  return random.bytes(32);
}

/**
 * The secret of an authenticator app. It is derived from the pepper and stored nowhere: the database has only the salt,
 * which is worth nothing without the pepper, or for another person.
 */
export function deriveTotpSecret(salt: Buffer, personId: string, pepper: Buffer): Buffer {
  return deriveKey(pepper, `waybill totp ${personId}`, salt).subarray(0, secretBytes);
}

/** RFC 4648, without padding: as a person types it into an app. */
export function encodeBase32(bytes: Buffer): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((group) => alphabet.charAt(Number.parseInt(group.padEnd(5, '0'), 2)))
    .join('');
}

/** The number of the time step that a moment is in. */
export function toStep(now: Date): number {
  return Math.floor(now.getTime() / 1000 / stepSeconds);
}

/** The code of a time step. */
export function computeTotp(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7f_ff_ff_ff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/**
 * Returns the time step whose code was typed, or undefined. The caller stores it as `lastStep` in the same transaction,
 * and only if it is greater than the stored one: so a code that somebody saw cannot be used again.
 */
export function findTotpStep(
  secret: Buffer,
  typed: string,
  { now, lastStep }: { readonly now: Date; readonly lastStep: number },
): number | undefined {
  const code = typed.replaceAll(/\s/g, '');
  if (!/^[0-9]{6}$/.test(code)) return undefined;
  const offered = Buffer.from(code);
  const current = toStep(now);
  let found: number | undefined;
  // Compares with every code, so that the time does not tell which one is near.
  for (let step = Math.max(0, current - toleranceSteps); step <= current + toleranceSteps; step += 1) {
    const isEqual = timingSafeEqual(offered, Buffer.from(computeTotp(secret, step)));
    if (isEqual && step > lastStep) found = step;
  }
  return found;
}

/** The address that an authenticator app reads from a QR code. */
export function makeTotpUri(secret: Buffer, { email, operatorName }: { email: string; operatorName: string }): string {
  // A colon separates the two in the label, and some apps do not decode it.
  const issuer = encodeURIComponent(operatorName.replaceAll(':', ' ').trim());
  const label = `${issuer}:${encodeURIComponent(email)}`;
  const values = `secret=${encodeBase32(secret)}&issuer=${issuer}&algorithm=SHA1&digits=${digits}&period=${stepSeconds}`;
  return `otpauth://totp/${label}?${values}`;
}
