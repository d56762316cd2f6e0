import type { Random } from '../ports/random.ts';
import { SignedIds } from '../signed-ids.ts';

/** A browser in which a person has signed in before. */
export interface KnownDevice {
  readonly id: string;
}

/** How long the cookie lasts since the last sign-in: the longest time that browsers keep one. */
export const deviceCookieSeconds = 400 * 24 * 60 * 60;

/**
 * The value of a cookie that a browser gets when a person signs in, and keeps when they sign out. It gives no access: it
 * only keeps others' failures from slowing this person down here. Nothing is stored.
 */
export function newDeviceCookie(personId: string, pepper: Buffer, random: Random): string {
  return idsFor(personId, pepper).sign(random.uuid()).toString('base64url');
}

/** Undefined unless the cookie was given to this person. An unknown person has no device. */
export function readDeviceCookie(
  cookie: string | undefined,
  personId: string | undefined,
  pepper: Buffer,
): KnownDevice | undefined {
  if (cookie === undefined || personId === undefined || !shape.test(cookie)) return undefined;
  const id = idsFor(personId, pepper).idIn(Buffer.from(cookie, 'base64url'));
  return id === undefined ? undefined : { id };
}

/** An id of 16 bytes and a MAC of 32. */
const macBytes = 32;
const shape = /^[\w-]{64}$/;

/** The person is a part of the key's purpose and not of the cookie, which therefore tells nothing about them. */
function idsFor(personId: string, pepper: Buffer): SignedIds {
  return new SignedIds(pepper, `waybill device ${personId}`, macBytes);
}
