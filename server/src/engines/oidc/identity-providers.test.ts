// Sign-in through a provider that somebody else wrote, over HTTP.
import { describe, expect, test } from 'vitest';
import { closedPort } from '../../../../tools/shared/tcp.ts';
import {
  openProviders,
  publicUrl,
  requireBegun,
  requireCompleted,
  toProvider,
  toRequestTarget,
} from '../../../test/providers.ts';
import {
  type IdentityProviderOptions,
  startIdentityProvider,
  type TestClaims,
  type TestIdentityProvider,
} from '../../../test/servers/identity-provider.ts';
import { toProviderPaths } from '../../domain/ports/identity-provider.ts';
import type { OidcProvider } from './identity-providers.ts';

const alice = { email: 'alice@example.org', email_verified: true, name: 'Alice Ek', locale: 'sv-SE' };

function start(claims: TestClaims = alice, options: Partial<IdentityProviderOptions> = {}) {
  const redirectUri = publicUrl + toProviderPaths('staff').callback;
  return startIdentityProvider({ people: { alice: claims }, redirectUri, ...options });
}

/** One person's way through the provider and back. */
async function signIn(provider: TestIdentityProvider, settings: Partial<OidcProvider> = {}) {
  const providers = openProviders([toProvider({ ...settings, issuer: provider.issuer })]);
  const browser = provider.openBrowser();
  const { url, secret } = requireBegun(await providers.begin('staff', { returnTo: '/orders@example.org/sent?page=2' }));
  const target = toRequestTarget(await browser.signIn(url, 'alice'));
  const completed = requireCompleted(await providers.complete(target, secret));
  return { providers, browser, url, completed };
}

describe('a sign-in', () => {
  test('returns who the person is, and where they wanted to go', async () => {
    await using provider = await start();
    const { completed, url, providers } = await signIn(provider);
    expect(completed).toEqual({
      claims: {
        provider: 'staff',
        issuer: provider.issuer,
        subject: 'alice',
        sid: expect.stringMatching(/./),
        email: 'alice@example.org',
        emailVerified: true,
        name: 'Alice Ek',
        language: 'sv',
        groups: undefined,
        creationClaim: undefined,
      },
      returnTo: '/orders@example.org/sent?page=2',
      personId: undefined,
      singleUse: { digest: expect.any(Buffer), seconds: 600 },
    });
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'waybill',
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      redirect_uri: `${publicUrl}/sign-in/provider/staff/callback`,
    });
    expect(provider.requests).not.toContain('/me');
    expect(providers.warnings).toEqual([]);
  });

  test('is never begun twice with the same state, nonce or challenge', async () => {
    await using provider = await start();
    const providers = openProviders([toProvider({ issuer: provider.issuer })]);
    const urls = await Promise.all([1, 2].map(() => providers.begin('staff', { returnTo: '/' })));
    const [first, second] = urls.map((begun) => new URL(requireBegun(begun).url).searchParams);
    for (const name of ['state', 'nonce', 'code_challenge']) expect(first?.get(name)).not.toBe(second?.get(name));
    expect(provider.requests).toEqual(['/.well-known/openid-configuration']);
  });

  test('reads from userinfo what is not in the ID token', async () => {
    await using provider = await start({ ...alice, groups: ['orders'] }, { userInfoOnly: true });
    const { completed } = await signIn(provider, { groupsClaim: ['groups'] });
    expect(completed.claims).toMatchObject({ ...toExpected(alice), groups: ['orders'] });
    expect(provider.requests).toContain('/me');
  });

  test('that a person cancels is refused by the provider', async () => {
    await using provider = await start();
    const providers = openProviders([toProvider({ issuer: provider.issuer })]);
    const { url, secret } = requireBegun(await providers.begin('staff', { returnTo: '/' }));
    const target = toRequestTarget(await provider.openBrowser().cancel(url));
    expect(target).toContain('error=access_denied');
    expect(await providers.complete(target, secret)).toEqual({ failure: 'refused_by_provider' });
  });

  test('of a signed-in person who adds the provider says who they are', async () => {
    await using provider = await start();
    const providers = openProviders([toProvider({ issuer: provider.issuer })]);
    const begun = requireBegun(await providers.begin('staff', { returnTo: '/settings', personId: 'person-1' }));
    const target = toRequestTarget(await provider.openBrowser().signIn(begun.url, 'alice'));
    expect(await providers.complete(target, begun.secret)).toMatchObject({
      personId: 'person-1',
      returnTo: '/settings',
    });
  });

  test('works in another process that has the same pepper, and not with another one', async () => {
    await using provider = await start();
    const settings = [toProvider({ issuer: provider.issuer })];
    const { url, secret } = requireBegun(await openProviders(settings).begin('staff', { returnTo: '/' }));
    const target = toRequestTarget(await provider.openBrowser().signIn(url, 'alice'));
    const stranger = openProviders(settings, { pepper: Buffer.alloc(32, 2) });
    expect(await stranger.complete(target, secret)).toEqual({ failure: 'not_begun_here' });
    expect(await openProviders(settings).complete(target, secret)).toMatchObject({ claims: { subject: 'alice' } });
  });
});

function toExpected({ email, name }: typeof alice) {
  return { email, emailVerified: true, name, language: 'sv' };
}

describe('groups', () => {
  test.each<[string, TestClaims, readonly string[], readonly string[] | undefined, number]>([
    ['a text', { groups: 'orders' }, ['groups'], ['orders'], 0],
    ['a list', { groups: ['orders', 'staff', 'orders'] }, ['groups'], ['orders', 'staff'], 0],
    ['nested', { realm_access: { roles: ['orders'] } }, ['realm_access', 'roles'], ['orders'], 0],
    ['none', { groups: [] }, ['groups'], [], 0],
    ['missing', {}, ['groups'], undefined, 0],
    ['null', { groups: null }, ['groups'], undefined, 0],
    ['missing below a text', { realm_access: 'roles' }, ['realm_access', 'roles'], undefined, 0],
    ['a number', { groups: 5 }, ['groups'], undefined, 1],
    ['an object', { groups: { orders: true } }, ['groups'], undefined, 1],
    ['a list with something else in it', { groups: ['orders', { name: 'staff' }] }, ['groups'], undefined, 1],
    ['too many', { groups: Array.from({ length: 2_001 }, (_, index) => `g${index}`) }, ['groups'], undefined, 1],
  ])('that are %s', async (_what, claims, groupsClaim, expected, warnings) => {
    await using provider = await start({ ...alice, ...claims });
    const { completed, providers } = await signIn(provider, { groupsClaim });
    expect(completed.claims.groups).toEqual(expected);
    expect(providers.warnings).toHaveLength(warnings);
    if (warnings > 0) expect(providers.warnings).toMatchObject([{ provider: 'staff', claim: groupsClaim.join(' ') }]);
  });
});

describe('the client’s secret', () => {
  const special = 'a~secret:with%special+characters &c.';

  test.each<['basic' | 'post', string, 'basic' | 'post' | undefined]>([
    ['basic', 'PlainSecret123', undefined],
    ['basic', special, 'basic'],
    ['post', special, undefined],
    ['post', 'PlainSecret123', 'post'],
  ])('is accepted by a client with %s whose secret is %s', async (expected, clientSecret, clientAuthentication) => {
    await using provider = await start(alice, { clientSecret, clientAuthentication: expected });
    const { completed } = await signIn(provider, { clientSecret, clientAuthentication });
    expect(completed.claims.subject).toBe('alice');
  });

  test('that is wrong is named in the log', async () => {
    await using provider = await start();
    await expect(signIn(provider, { clientSecret: 'wrong' })).rejects.toThrow('invalid_response');
  });
});

test('the claim that lets people be created is read like groups', async () => {
  await using provider = await start({ ...alice, hd: 'example.org' });
  const createPeople = { domains: undefined, claim: { path: ['hd'], values: ['example.org'] } };
  const { completed } = await signIn(provider, { createPeople });
  expect(completed.claims.creationClaim).toEqual(['example.org']);
});

test('signing out of the provider ends the session by a logout token, which is accepted once', async () => {
  await using provider = await start();
  const { providers, browser, completed } = await signIn(provider, { endSession: true });
  const url = await providers.findEndSessionUrl('staff');
  expect(await browser.signOut(url ?? '')).toBe(`${publicUrl}/sign-in`);
  const [token = ''] = provider.logoutTokens;
  const logout = await providers.verifyLogoutToken('staff', token);
  expect(logout).toEqual({
    provider: 'staff',
    issuer: provider.issuer,
    sid: completed.claims.sid,
    subject: 'alice',
    singleUse: { digest: expect.any(Buffer), seconds: 660 },
  });
  // The caller recognises a repetition by the digest.
  expect(await providers.verifyLogoutToken('staff', token)).toEqual(logout);
});

test('no sign-out at the provider unless the operator wants it', async () => {
  await using provider = await start();
  const providers = openProviders([toProvider({ issuer: provider.issuer })]);
  expect(await providers.findEndSessionUrl('staff')).toBeUndefined();
  expect(await providers.findEndSessionUrl('other')).toBeUndefined();
  expect(provider.requests).toEqual([]);
});

describe('a provider that is down', () => {
  test('fails alone, and works as soon as it is back', async () => {
    await using working = await start();
    const port = await closedPort();
    const down = toProvider({ id: 'down', issuer: `http://127.0.0.1:${port}` });
    const providers = openProviders([down, toProvider({ issuer: working.issuer })], { retryMs: 0 });
    expect(await providers.begin('down', { returnTo: '/' })).toEqual({ failure: 'provider_unavailable' });
    expect(await providers.verifyLogoutToken('down', 'token')).toEqual({ failure: 'provider_unavailable' });
    expect(providers.warnings[0]).toMatchObject({ provider: 'down', reason: expect.stringContaining('ECONNREFUSED') });
    requireBegun(await providers.begin('staff', { returnTo: '/' }));

    await using _returned = await start(alice, { port });
    requireBegun(await providers.begin('down', { returnTo: '/' }));
  });

  test('in the middle of a sign-in is said to be unavailable', async () => {
    const provider = await start();
    const providers = openProviders([toProvider({ issuer: provider.issuer })]);
    const { url, secret } = requireBegun(await providers.begin('staff', { returnTo: '/' }));
    const target = toRequestTarget(await provider.openBrowser().signIn(url, 'alice'));
    await provider[Symbol.asyncDispose]();
    expect(await providers.complete(target, secret)).toEqual({ failure: 'provider_unavailable' });
  });

  test('does not exist in the settings', async () => {
    const providers = openProviders([]);
    expect(await providers.begin('staff', { returnTo: '/' })).toEqual({ failure: 'unknown_provider' });
    expect(await providers.verifyLogoutToken('staff', 'token')).toEqual({ failure: 'unknown_provider' });
  });
});
