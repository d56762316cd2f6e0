import { createHash } from 'node:crypto';
import { type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { ProviderLogout } from '../../domain/ports/identity-provider.ts';
import { toIdentifier } from './read-claims.ts';

/** Only signatures by a key that the provider alone has: never `none`, and no HMAC, whose key both sides know. */
export const signatureAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
export const clockToleranceSeconds = 30;

const maxTokenLength = 16_384;
/** A token that is delivered at all is delivered at once. */
const maxAgeSeconds = 600;
const event = 'http://schemas.openid.net/event/backchannel-logout';
/** Providers that are older than the type send none, or the general one. */
const types = new Set([undefined, 'jwt', 'logout+jwt', 'application/logout+jwt']);

export interface ExpectedLogout {
  readonly provider: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly keys: JWTVerifyGetKey;
  readonly now: Date;
}

/** A logout token is not what it should be. */
export class InvalidLogoutTokenError extends Error {
  override readonly name = 'InvalidLogoutTokenError';
}

/** OpenID Connect Back-Channel Logout 1.0, section 2.6, except for the last step: whether it was seen before. */
export async function verifyLogoutToken(
  token: string,
  { provider, issuer, clientId, keys, now }: ExpectedLogout,
): Promise<ProviderLogout> {
  if (token.length > maxTokenLength) throw new InvalidLogoutTokenError('it is too long');
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer,
    audience: clientId,
    algorithms: signatureAlgorithms,
    requiredClaims: ['iss', 'aud', 'iat', 'exp', 'jti'],
    maxTokenAge: maxAgeSeconds,
    clockTolerance: clockToleranceSeconds,
    currentDate: now,
  });
  if (!types.has(protectedHeader.typ?.toLowerCase())) throw new InvalidLogoutTokenError('it is of another type');
  // An ID token of the same provider has no events, and usually a nonce.
  if ('nonce' in payload) throw new InvalidLogoutTokenError('it has a nonce');
  const { events } = payload as { events?: unknown };
  if (!isObject(events) || !Object.hasOwn(events, event) || !isObject(events[event])) {
    throw new InvalidLogoutTokenError('it has no event of a logout');
  }
  const sid = toIdentifier(payload['sid']);
  const subject = toIdentifier(payload.sub);
  const isWrong = (given: unknown, read: string | undefined) => given !== undefined && read === undefined;
  if (isWrong(payload['sid'], sid) || isWrong(payload.sub, subject) || (sid ?? subject) === undefined) {
    throw new InvalidLogoutTokenError('it names neither a session nor a subject');
  }
  const id = toIdentifier(payload.jti);
  if (id === undefined) throw new InvalidLogoutTokenError('its id is unusable');
  return {
    provider,
    issuer,
    sid,
    subject,
    singleUse: {
      digest: createHash('sha256')
        .update(JSON.stringify(['logout', issuer, id]))
        .digest(),
      // From its first moment, on a slow clock, to its last, on a fast one.
      seconds: maxAgeSeconds + 2 * clockToleranceSeconds,
    },
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
