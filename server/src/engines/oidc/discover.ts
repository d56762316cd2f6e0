import { createRemoteJWKSet, customFetch as keyFetch } from 'jose';
import * as oidc from 'openid-client';
import { boundedFetch, UnreachableProviderError } from './bounded-fetch.ts';
import { clockToleranceSeconds } from './logout-token.ts';

/** One provider, as the operator has set it up. */
export interface OidcClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where the secret is sent, for a provider that accepts only one of the two. */
  readonly clientAuthentication: 'basic' | 'post' | undefined;
}

export interface Discovered {
  readonly configuration: oidc.Configuration;
  readonly metadata: oidc.ServerMetadata;
  /** For logout tokens; the library has its own cache of the same keys for ID tokens. */
  readonly keys: ReturnType<typeof createRemoteJWKSet>;
}

/**
 * Reads the provider's metadata, which say where everything else is. The signature of ID tokens is verified although they
 * come directly from the provider: a proxy or an address that was taken over would otherwise be enough to forge one.
 */
export async function discover(client: OidcClient, timeoutMs: number): Promise<Discovered> {
  const issuer = new URL(client.issuer);
  const fetch = boundedFetch(issuer);
  const configuration = await oidc.discovery(
    issuer,
    client.clientId,
    { [oidc.clockTolerance]: clockToleranceSeconds },
    authenticate(client),
    {
      timeout: timeoutMs / 1000,
      [oidc.customFetch]: (url, options) => fetch(url, options),
      execute: [oidc.enableNonRepudiationChecks, ...(issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : [])],
    },
  );
  const metadata = configuration.serverMetadata();
  // The library accepts an issuer of Entra ID that stands for every organisation: anyone could sign in.
  if (new URL(metadata.issuer).href !== issuer.href) {
    throw new UnreachableProviderError('the metadata are of another issuer');
  }
  if (metadata.jwks_uri === undefined) throw new UnreachableProviderError('the metadata name no keys');
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), {
    timeoutDuration: timeoutMs,
    [keyFetch]: fetch,
  });
  return { configuration, metadata, keys };
}

/**
 * In the header, which providers expect unless they were told otherwise (RFC 8414, section 2). Not all of them decode what
 * has to be encoded there (RFC 6749, section 2.3.1), so that a secret with other characters goes into the body.
 */
function authenticate({ clientId, clientSecret, clientAuthentication }: OidcClient): oidc.ClientAuth {
  const inHeader = oidc.ClientSecretBasic(clientSecret);
  const inBody = oidc.ClientSecretPost(clientSecret);
  const isPlain = /^[A-Za-z0-9]+$/.test(clientId + clientSecret);
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isSupported = (method: string) => methods.includes(`client_secret_${method}`);
    const order = isPlain ? ['basic', 'post'] : ['post', 'basic'];
    const method = clientAuthentication ?? order.find(isSupported);
    return (method === 'post' ? inBody : inHeader)(server, ...rest);
  };
}

/** The reason why the provider could not be asked, if that is what failed. */
export function findUnreachable(error: unknown): UnreachableProviderError | undefined {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    if (inner instanceof UnreachableProviderError) return inner;
  }
  return undefined;
}

/** Codes and messages that the libraries and we wrote. Not those of inner causes, which may quote tokens and claims. */
export function describeError(error: unknown): string {
  const { code, error: responded, message, cause } = error as Readonly<Record<string, unknown>>;
  const { code: innerCode, message: reason } = (cause ?? {}) as Readonly<Record<string, unknown>>;
  const isOfLibrary = typeof innerCode === 'string' && innerCode.startsWith('OAUTH_');
  const inner = findUnreachable(error)?.message ?? (isOfLibrary && reason);
  return [code, responded, message, inner]
    .filter((part) => typeof part === 'string' && part !== '')
    .join(': ')
    .slice(0, 300);
}
