import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { vi } from 'vitest';

/** The claims of a person at the provider, without the subject, which is their login. */
export type TestClaims = Readonly<Record<string, unknown>>;

export interface IdentityProviderOptions {
  readonly people: Readonly<Record<string, TestClaims>>;
  readonly redirectUri: string;
  /** False: everything is in the ID token. True: the ID token has the subject only, and userinfo the rest. */
  readonly userInfoOnly?: boolean;
  /** Any that is free, unless given. */
  readonly port?: number;
}

export interface TestIdentityProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Paths of all requests. */
  readonly requests: readonly string[];
  /** Everything that was sent to the client's back-channel logout URI. */
  readonly logoutTokens: readonly string[];
  openBrowser(): ProviderBrowser;
}

/** A browser that only ever visits this provider. */
export interface ProviderBrowser {
  /** Signs in on the provider's pages, and returns the URL to which the provider then sends the browser. */
  signIn(url: string, login: string): Promise<string>;
  /** Cancels on the provider's sign-in page. */
  cancel(url: string): Promise<string>;
  /** Signs out of the provider, and returns the URL to which it then sends the browser. */
  signOut(url: string): Promise<string>;
}

const clientId = 'waybill';
const clientSecret = 'the secret of the client at the test provider';

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
        client_id: clientId,
        client_secret: clientSecret,
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
    clientId,
    clientSecret,
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

interface Page {
  readonly url: string;
  readonly html: string;
}

function openBrowser(issuer: string): ProviderBrowser {
  const cookies = new Map<string, string>();

  /** Follows redirects until a page is shown, or until they lead away from the provider. */
  const visit = async (start: string, form?: Record<string, string>): Promise<Page | string> => {
    let url = start;
    let body = form && new URLSearchParams(form);
    for (let redirects = 0; redirects < 10; redirects += 1) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, {
        method: body ? 'POST' : 'GET',
        body: body ?? null,
        headers: { cookie },
        redirect: 'manual',
      });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      }
      const location = response.headers.get('location');
      if (location === null) return { url, html: await response.text() };
      await response.body?.cancel();
      url = new URL(location, url).href;
      body = undefined;
      if (new URL(url).origin !== issuer) return url;
    }
    throw new Error('The provider redirects in a circle.');
  };

  /** Sends the form of a page with its hidden fields and these. */
  const submit = async ({ url, html }: Page, fields: Record<string, string>): Promise<Page | string> => {
    const [, action] = /<form[^>]* action="([^"]*)"/.exec(html) ?? [];
    if (action === undefined) throw new Error(`The provider shows no form, but ${html.slice(0, 2_000)}`);
    const hidden = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
    const given = [...hidden].map(([, name = '', value = '']) => [name, value]);
    return visit(new URL(action, url).href, { ...Object.fromEntries(given), ...fields });
  };

  return {
    async signIn(url, login) {
      let page = await visit(url);
      for (let steps = 0; typeof page !== 'string' && steps < 3; steps += 1) {
        page = await submit(page, page.html.includes('name="login"') ? { login, password: 'any' } : {});
      }
      if (typeof page !== 'string') throw new Error(`The provider does not end: ${page.html.slice(0, 2_000)}`);
      return page;
    },
    async cancel(url) {
      const page = await visit(url);
      if (typeof page === 'string') return page;
      return (await visit(`${page.url}/abort`)) as string;
    },
    async signOut(url) {
      const page = await visit(url);
      if (typeof page === 'string') return page;
      return (await submit(page, { logout: 'yes' })) as string;
    },
  };
}
