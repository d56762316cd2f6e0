import type { PasskeySite } from '../ports/passkeys.ts';
import type { Random } from '../ports/random.ts';

/** The response to a challenge must arrive in this time. Finding a security key takes a while. */
export const challengeSeconds = 300;

export function newPasskeyChallenge(random: Random): Buffer {
  return random.bytes(32);
}

/** Created once for each person. Authenticators replace a passkey of the same site and handle by a new one. */
export function newPasskeyHandle(random: Random): Buffer {
  return random.bytes(32);
}

export function toPasskeySite(publicUrl: string, operatorName: string): PasskeySite {
  const { hostname, origin } = new URL(publicUrl);
  return { id: hostname, origin, name: operatorName };
}
