import { createHash } from 'node:crypto';
import * as oidc from 'openid-client';
import { deriveKey } from '../../domain/derive-key.ts';
import { LostKey, unwrapWith, wrapWith } from '../../domain/keys/wrapping.ts';
import {
  type ClaimPath,
  type IdentityProviders,
  type ProviderClaims,
  type ProviderFailure,
  type ProviderRules,
  toProviderPaths,
} from '../../domain/ports/identity-provider.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { Random } from '../../domain/ports/random.ts';
import { toReturnPath } from '../../domain/return-path.ts';
import { type Discovered, describeError, discover, findUnreachable, type OidcClient } from './discover.ts';
import { verifyLogoutToken } from './logout-token.ts';
import { lacksClaims, readClaims, toIdentifier } from './read-claims.ts';

/** One provider, as the settings describe it. */
export interface OidcProvider extends ProviderRules, OidcClient {
  readonly scopes: readonly string[];
  readonly groupsClaim: ClaimPath | undefined;
  readonly endSession: boolean;
}

export interface IdentityProvidersOptions {
  readonly providers: readonly OidcProvider[];
  readonly publicUrl: string;
  readonly pepper: Buffer;
  readonly random: Random;
  readonly logger: Logger;
  /** For one request to a provider. */
  readonly timeoutMs?: number;
  /** How long the metadata of a provider are used before they are read again. */
  readonly metadataAgeMs?: number;
  /** How long a provider whose metadata could not be read is left alone. */
  readonly retryMs?: number;
  readonly now?: () => number;
}

/** How long a person may take at the provider. */
const attemptSeconds = 600;

interface OpenProvider extends OidcProvider {
  readonly redirectUri: string;
  readonly discovered: () => Promise<Discovered>;
}

/** Makes no request until somebody signs in, so that a provider that is down does not keep the server from starting. */
export function identityProviders(options: IdentityProvidersOptions): IdentityProviders {
  const { publicUrl, random, logger, now = Date.now, timeoutMs = 8_000 } = options;
  const { metadataAgeMs: maxAgeMs = 3_600_000, retryMs = 10_000 } = options;
  const attempts = new SealedAttempts(options.pepper, random);
  const open = options.providers.map(
    (provider): OpenProvider => ({
      ...provider,
      redirectUri: publicUrl + toProviderPaths(provider.id).callback,
      discovered: cached(() => discover(provider, timeoutMs), { maxAgeMs, retryMs, now: () => performance.now() }),
    }),
  );
  const find = (id: string) => open.find((provider) => provider.id === id);

  /** Logs the reason, which neither the person nor an attacker needs. */
  const fail = (
    event: string,
    provider: string,
    failure: ProviderFailure['failure'],
    error: unknown,
  ): ProviderFailure => {
    logger.warn(event, { provider, failure, reason: describeError(error) });
    return { failure };
  };

  return {
    rules: options.providers,

    async begin(providerId, { returnTo, personId }) {
      const provider = find(providerId);
      if (!provider) return { failure: 'unknown_provider' };
      const attempt: Attempt = {
        provider: providerId,
        state: random.bytes(32).toString('base64url'),
        nonce: random.bytes(32).toString('base64url'),
        verifier: random.bytes(32).toString('base64url'),
        returnTo: toReturnPath(returnTo),
        personId,
        expiresAt: now() + attemptSeconds * 1000,
      };
      try {
        const { configuration } = await provider.discovered();
        const url = oidc.buildAuthorizationUrl(configuration, {
          redirect_uri: provider.redirectUri,
          scope: provider.scopes.join(' '),
          state: attempt.state,
          nonce: attempt.nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(attempt.verifier),
          code_challenge_method: 'S256',
        });
        return { url: url.href, secret: attempts.seal(attempt) };
      } catch (error) {
        return fail('a provider cannot be used', providerId, 'provider_unavailable', error);
      }
    },

    async complete(requestTarget, secret) {
      const attempt = attempts.open(secret, now());
      const url = URL.parse(requestTarget, publicUrl);
      if (!attempt || !url) return { failure: 'not_begun_here' };
      const provider = find(attempt.provider);
      if (!provider) return { failure: 'unknown_provider' };
      // Each provider has its own redirect URI: a response that came to another one is not this provider's.
      const isExpected = url.origin + url.pathname === provider.redirectUri;
      if (!isExpected || url.searchParams.get('state') !== attempt.state) return { failure: 'not_begun_here' };
      try {
        return {
          claims: await requestClaims(provider, url, attempt, logger),
          returnTo: attempt.returnTo,
          personId: attempt.personId,
          singleUse: {
            digest: createHash('sha256')
              .update(JSON.stringify(['sign-in', attempt.state]))
              .digest(),
            seconds: attemptSeconds,
          },
        };
      } catch (error) {
        return fail('a sign-in through a provider failed', provider.id, toFailure(error), error);
      }
    },

    async verifyLogoutToken(providerId, token) {
      const provider = find(providerId);
      if (!provider) return { failure: 'unknown_provider' };
      try {
        const { metadata, keys } = await provider.discovered();
        const { clientId } = provider;
        const expected = { provider: providerId, issuer: metadata.issuer, clientId, keys, now: new Date(now()) };
        return await verifyLogoutToken(token, expected);
      } catch (error) {
        const failure = findUnreachable(error) ? 'provider_unavailable' : 'invalid_token';
        return fail('a logout by a provider was refused', providerId, failure, error);
      }
    },

    async findEndSessionUrl(providerId) {
      const provider = find(providerId);
      if (!provider?.endSession) return undefined;
      try {
        const { configuration, metadata } = await provider.discovered();
        if (metadata.end_session_endpoint === undefined) return undefined;
        return oidc.buildEndSessionUrl(configuration, { post_logout_redirect_uri: `${publicUrl}/sign-in` }).href;
      } catch (error) {
        fail('a provider cannot be used', providerId, 'provider_unavailable', error);
        return undefined;
      }
    },
  };
}

/** The provider's response has something in it that we cannot use. */
class UnusableClaimsError extends Error {
  override readonly name = 'UnusableClaimsError';
}

async function requestClaims(
  provider: OpenProvider,
  url: URL,
  { state, nonce, verifier }: Attempt,
  logger: Logger,
): Promise<ProviderClaims> {
  const { configuration, metadata } = await provider.discovered();
  const tokens = await oidc.authorizationCodeGrant(configuration, url, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const idToken = tokens.claims();
  const subject = toIdentifier(idToken?.sub);
  if (!idToken || subject === undefined) throw new UnusableClaimsError('the subject is unusable');
  const wanted = { ...provider, creationClaim: provider.createPeople?.claim?.path };
  const userInfo =
    metadata.userinfo_endpoint !== undefined && lacksClaims(idToken, wanted)
      ? await oidc.fetchUserInfo(configuration, tokens.access_token, idToken.sub)
      : undefined;
  return {
    provider: provider.id,
    issuer: idToken.iss,
    subject,
    sid: toIdentifier(idToken['sid']),
    ...readClaims(idToken, userInfo, wanted, (claim) => {
      logger.warn('a claim of a provider is neither a text nor a list of texts', { provider: provider.id, claim });
    }),
  };
}

function toFailure(error: unknown): ProviderFailure['failure'] {
  if (findUnreachable(error)) return 'provider_unavailable';
  return error instanceof oidc.AuthorizationResponseError ? 'refused_by_provider' : 'invalid_response';
}

/** A sign-in that a browser has begun. */
interface Attempt {
  readonly provider: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnTo: string;
  readonly personId: string | undefined;
  /** In milliseconds. */
  readonly expiresAt: number;
}

const sealingPurpose = 'sign-in through a provider';
/** Browsers store no longer cookies. */
const maxSealedLength = 4_096;

/**
 * Attempts are kept by the browsers that began them, so that nobody can fill a table of ours. Sealing hides the verifier
 * and the nonce from whoever reads the browser's cookies, and shows that the attempt is ours.
 */
class SealedAttempts {
  readonly #key: Buffer;
  readonly #random: Random;

  constructor(pepper: Buffer, random: Random) {
    this.#key = deriveKey(pepper, sealingPurpose);
    this.#random = random;
  }

  seal(attempt: Attempt): string {
    const content = Buffer.from(JSON.stringify(attempt));
    return wrapWith(this.#key, content, sealingPurpose, this.#random).toString('base64url');
  }

  /** Undefined unless it is one of ours that has not expired. */
  open(sealed: string | undefined, now: number): Attempt | undefined {
    if (sealed === undefined || sealed.length > maxSealedLength) return undefined;
    try {
      const content = unwrapWith(this.#key, Buffer.from(sealed, 'base64url'), sealingPurpose);
      const attempt = JSON.parse(content.toString()) as Attempt;
      return now < attempt.expiresAt ? attempt : undefined;
    } catch (error) {
      if (error instanceof LostKey) return undefined;
      throw error;
    }
  }
}

/** How long a value is used before it is read again, and how long after a failure nobody tries. */
interface CacheLifetimes {
  readonly maxAgeMs: number;
  readonly retryMs: number;
  /** Monotonic. */
  readonly now: () => number;
}

/**
 * Reads a value when it is first needed, and again when it is old. An old value is used until there is a newer one. While
 * it is being read, and for some time after a failure, nobody reads it again: a provider that is down must not cost
 * everyone who looks at the sign-in page a time limit.
 */
export function cached<Value>(
  read: () => Promise<Value>,
  { maxAgeMs, retryMs, now }: CacheLifetimes,
): () => Promise<Value> {
  let known: { readonly value: Value; readonly at: number } | undefined;
  let failed: { readonly error: unknown; readonly at: number } | undefined;
  let reading: Promise<Value> | undefined;

  const readAgain = () => {
    reading ??= read()
      .then(
        (value) => {
          known = { value, at: now() };
          failed = undefined;
          return value;
        },
        (error: unknown) => {
          failed = { error, at: now() };
          throw error;
        },
      )
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };

  return async () => {
    const mayRead = failed === undefined || now() - failed.at >= retryMs;
    if (known) {
      if (now() - known.at >= maxAgeMs && mayRead) void readAgain().catch(() => undefined);
      return known.value;
    }
    if (mayRead || reading) return readAgain();
    throw failed?.error;
  };
}
