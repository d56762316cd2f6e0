import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { vi } from 'vitest';
import { openBrowser, type ProviderBrowser } from './provider-browser.ts';

/** The claims of a person at the provider, without the subject, which is their login. */
export type TestClaims = Readonly<Record<string, unknown>>;

export interface IdentityProviderOptions {
  readonly people: Readonly<Record<string, TestClaims>>;
  readonly redirectUri: string;
  /** False: everything is in the ID token. True: the ID token has the subject only, and userinfo the rest. */
  readonly userInfoOnly?: boolean;
  readonly clientSecret?: string;
  readonly clientAuthentication?: 'basic' | 'post';
  /** Any that is free, unless given. */
  readonly port?: number;
}

export interface TestIdentityProvider extends AsyncDisposable {
  readonly issuer: string;
  /** Paths of all requests. */
  readonly requests: readonly string[];
  /** Everything that was sent to the client's back-channel logout URI. */
  readonly logoutTokens: readonly string[];
  openBrowser(): ProviderBrowser;
}

/** A certified implementation of OpenID Connect, with its own pages, on this machine. */
export async function startIdentityProvider(options: IdentityProviderOptions): Promise<TestIdentityProvider> {
  const requests: string[] = [];
  const logoutTokens: string[] = [];
  let handle: RequestListener = () => undefined;
  const server = createServer((request, response) => {
    requests.push(new URL(request.url ?? '', 'http://provider').pathname);
    handle(request, response);
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  // It warns of its own pages, which are not for production.
  const warnings = vi.spyOn(console, 'warn').mockReturnValue();
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'waybill',
        client_secret: options.clientSecret ?? 'TheSecretOfTheClientAtTheTestProvider',
        token_endpoint_auth_method: `client_secret_${options.clientAuthentication ?? 'basic'}`,
        redirect_uris: [options.redirectUri],
        post_logout_redirect_uris: ['https://files.example.org/sign-in'],
        backchannel_logout_uri: 'https://files.example.org/logout',
        backchannel_logout_session_required: true,
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256', kid: 'first' }] },
    cookies: { keys: ['the key of the cookies of the test provider'] },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'given_name', 'family_name', 'locale', 'groups', 'realm_access', 'hd'],
    },
    conformIdTokenClaims: options.userInfoOnly ?? false,
    features: {
      devInteractions: { enabled: true },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource(context: { body: string }, form: string) {
          context.body = form;
        },
      },
    },
    ttl: { Session: 3600, Interaction: 3600, Grant: 3600, AccessToken: 600, IdToken: 600 },
    findAccount: (_context: unknown, login: string) => {
      const claims = options.people[login];
      return claims && { accountId: login, claims: () => ({ sub: login, ...claims }) };
    },
    async fetch(_url: string, { body }: { body: URLSearchParams }) {
      logoutTokens.push(body.get('logout_token') ?? '');
      return new Response(null, { status: 204 });
    },
  });
  handle = provider.callback();
  warnings.mockRestore();

  return {
    issuer,
    requests,
    logoutTokens,
    openBrowser: () => openBrowser(issuer),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
