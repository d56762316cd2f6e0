import type { PasskeySite } from '../ports/passkeys.ts';

/** The response to a challenge must arrive in this time. Finding a security key takes a while. */
export const challengeSeconds = 300;

export function toPasskeySite(publicUrl: string, operatorName: string): PasskeySite {
  const { hostname, origin } = new URL(publicUrl);
  return { id: hostname, origin, name: operatorName };
}
