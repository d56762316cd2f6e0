import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  openProviders,
  publicUrl,
  requireBegun,
  requireCompleted,
  toProvider,
  toRequestTarget,
} from '../../../test/providers.ts';
import {
  type ForgedClaims,
  type ForgingProvider,
  startForgingProvider,
} from '../../../test/servers/forging-provider.ts';
import { startIdentityProvider, type TestClaims } from '../../../test/servers/identity-provider.ts';
import { toProviderPaths } from '../../domain/ports/identity-provider.ts';
import { decideProviderSignIn } from '../../domain/sign-in/provider-policy.ts';

function start(people: Readonly<Record<string, TestClaims>>, id = 'staff') {
  return startIdentityProvider({ people, redirectUri: publicUrl + toProviderPaths(id).callback });
}

const mallory = { email: 'mallory@example.org', email_verified: true, name: 'Mallory' };
const createPeople = { domains: ['example.org'], claim: undefined };

describe('an address', () => {
  async function signIn(claims: TestClaims, settings = {}) {
    await using provider = await start({ mallory: claims });
    const rules = toProvider({ issuer: provider.issuer, createPeople, ...settings });
    const providers = openProviders([rules]);
    const { url, secret } = requireBegun(await providers.begin('staff', { returnTo: '/' }));
    const target = toRequestTarget(await provider.openBrowser().signIn(url, 'mallory'));
    return { rules, claims: requireCompleted(await providers.complete(target, secret)).claims };
  }

  test.each([{ email_verified: false }, { email_verified: undefined }, { email_verified: 'yes' }])(
    'that is unverified creates nobody, and reaches nobody: %j',
    async (claim) => {
      const { rules, claims } = await signIn({ ...mallory, ...claim });
      const refused = { action: 'refuse', reason: 'email_not_verified' };
      expect(decideProviderSignIn(rules, claims, { byIdentity: undefined, byEmail: undefined })).toEqual(refused);
      expect(decideProviderSignIn(rules, claims, { byIdentity: undefined, byEmail: 'alice' })).toEqual(refused);
    },
  );

  test('of another person leads to that person only with a proof from them', async () => {
    const { rules, claims } = await signIn({ ...mallory, email: 'Alice@Example.org' });
    expect(decideProviderSignIn(rules, claims, { byIdentity: undefined, byEmail: 'alice' })).toEqual({
      action: 'prove_address',
      personId: 'alice',
      email: 'alice@example.org',
    });
  });

  test('of another person changes nothing about who signs in', async () => {
    const { rules, claims } = await signIn({ ...mallory, email: 'alice@example.org' });
    const decision = decideProviderSignIn(rules, claims, { byIdentity: 'mallory', byEmail: 'alice' });
    expect(decision).toEqual({ action: 'sign_in', personId: 'mallory' });
  });

  test('that userinfo alone calls verified is not the one in the ID token', async () => {
    await using forged = await startForgingProvider();
    forged.userInfo = { sub: 'mallory', email: 'mallory@example.org', email_verified: true };
    const completed = await completeForged(forged, { email: 'alice@example.org', email_verified: undefined });
    expect(completed).toMatchObject({ claims: { email: 'alice@example.org', emailVerified: undefined } });
  });
});

describe('a response', () => {
  test('that is sent twice brings a code that the provider no longer accepts', async () => {
    await using provider = await start({ mallory });
    const providers = openProviders([toProvider({ issuer: provider.issuer })]);
    const { url, secret } = requireBegun(await providers.begin('staff', { returnTo: '/' }));
    const target = toRequestTarget(await provider.openBrowser().signIn(url, 'mallory'));
    requireCompleted(await providers.complete(target, secret));
    expect(await providers.complete(target, secret)).toEqual({ failure: 'invalid_response' });
    expect(providers.warnings).toMatchObject([{ reason: expect.stringContaining('invalid_grant') }]);
  });

  test('that is sent twice has the same digest, for providers that accept a code twice', async () => {
    await using forged = await startForgingProvider();
    const providers = openForged(forged);
    const begun = requireBegun(await providers.begin('staff', { returnTo: '/' }));
    const complete = async () => requireCompleted(await respond(forged, providers, begun));
    expect((await complete()).singleUse).toEqual((await complete()).singleUse);
    const other = requireBegun(await providers.begin('staff', { returnTo: '/' }));
    const completed = requireCompleted(await respond(forged, providers, other));
    expect(completed.singleUse.digest).not.toEqual((await complete()).singleUse.digest);
  });

  test('with the state of an earlier sign-in of the same browser is refused (replayed state)', async () => {
    await using provider = await start({ mallory });
    const providers = openProviders([toProvider({ issuer: provider.issuer })]);
    const earlier = requireBegun(await providers.begin('staff', { returnTo: '/' }));
    const target = toRequestTarget(await provider.openBrowser().signIn(earlier.url, 'mallory'));
    const later = requireBegun(await providers.begin('staff', { returnTo: '/' }));
    expect(await providers.complete(target, later.secret)).toEqual({ failure: 'not_begun_here' });
    expect(provider.requests).not.toContain('/token');
  });

  test('that another browser began is refused (login CSRF)', async () => {
    await using provider = await start({ mallory });
    const providers = openProviders([toProvider({ issuer: provider.issuer })]);
    const attackers = requireBegun(await providers.begin('staff', { returnTo: '/' }));
    const target = toRequestTarget(await provider.openBrowser().signIn(attackers.url, 'mallory'));
    const victims = requireBegun(await providers.begin('staff', { returnTo: '/' }));
    for (const secret of [undefined, '', victims.secret, 'x'.repeat(5_000), attackers.secret.slice(1)]) {
      expect(await providers.complete(target, secret)).toEqual({ failure: 'not_begun_here' });
    }
    expect(provider.requests).not.toContain('/token');
  });

  test('with another state in place of its own is refused', async () => {
    await using provider = await start({ mallory });
    const providers = openProviders([toProvider({ issuer: provider.issuer })]);
    const { url, secret } = requireBegun(await providers.begin('staff', { returnTo: '/' }));
    const target = toRequestTarget(await provider.openBrowser().signIn(url, 'mallory'));
    const changed = [
      target.replace(/state=[^&]+/, 'state=x'),
      target.replace(/state=[^&]+&/, ''),
      target.replace(/state=/, 'state=x&state='),
    ];
    for (const wrong of changed) expect(await providers.complete(wrong, secret)).toEqual({ failure: 'not_begun_here' });
    const twice = target.replace(/(state=[^&]+)/, '$1&$1');
    expect(await providers.complete(twice, secret)).toEqual({ failure: 'invalid_response' });
  });

  test('that comes after ten minutes is refused', async () => {
    await using forged = await startForgingProvider();
    let now = Date.now();
    const providers = openProviders([toProvider({ issuer: forged.issuer })], { now: () => now });
    const begun = requireBegun(await providers.begin('staff', { returnTo: '/' }));
    now += 10 * 60_000 - 1;
    expect(await respond(forged, providers, begun)).toMatchObject({ claims: { subject: 'mallory' } });
    now += 1;
    expect(await respond(forged, providers, begun)).toEqual({ failure: 'not_begun_here' });
  });

  test('with a code that was issued for another sign-in is refused by the nonce, or by PKCE (injected code)', async () => {
    await using provider = await start({ mallory, alice: { ...mallory, email: 'alice@example.org' } });
    const providers = openProviders([toProvider({ issuer: provider.issuer })]);
    const begin = async () => requireBegun(await providers.begin('staff', { returnTo: '/' }));
    const [alices, mallorys] = [await begin(), await begin()];
    const stolen = toRequestTarget(await provider.openBrowser().signIn(alices.url, 'alice'));
    const own = toRequestTarget(await provider.openBrowser().signIn(mallorys.url, 'mallory'));
    const [code = ''] = /code=[^&]+/.exec(stolen) ?? [];
    expect(await providers.complete(own.replace(/code=[^&]+/, code), mallorys.secret)).toEqual({
      failure: 'invalid_response',
    });
  });
});

describe('two providers (mix-up)', () => {
  test('the response of one is not accepted as the other’s', async () => {
    await using honest = await start({ alice: mallory }, 'honest');
    await using evil = await start({ mallory }, 'evil');
    const providers = openProviders([
      toProvider({ id: 'honest', issuer: honest.issuer }),
      toProvider({ id: 'evil', issuer: evil.issuer }),
    ]);
    const atHonest = requireBegun(await providers.begin('honest', { returnTo: '/' }));
    const atEvil = requireBegun(await providers.begin('evil', { returnTo: '/' }));
    const fromHonest = toRequestTarget(await honest.openBrowser().signIn(atHonest.url, 'alice'));
    const fromEvil = toRequestTarget(await evil.openBrowser().signIn(atEvil.url, 'mallory'));
    const asOther = (target: string, from: string, to: string) => target.replace(`/${from}/`, `/${to}/`);

    // As it came, but with the other provider’s attempt.
    expect(await providers.complete(fromEvil, atHonest.secret)).toEqual({ failure: 'not_begun_here' });
    expect(await providers.complete(fromHonest, atEvil.secret)).toEqual({ failure: 'not_begun_here' });
    // At the other provider’s redirect URI.
    expect(await providers.complete(asOther(fromEvil, 'evil', 'honest'), atEvil.secret)).toEqual({
      failure: 'not_begun_here',
    });
    // Also with the other provider’s state, which the evil one has seen: `iss` tells them apart.
    const state = new URL(atHonest.url).searchParams.get('state');
    const mixed = asOther(fromEvil, 'evil', 'honest').replace(/state=[^&]+/, `state=${state}`);
    expect(await providers.complete(mixed, atHonest.secret)).toEqual({ failure: 'invalid_response' });
    // Without `iss`, which the provider has promised to send.
    expect(await providers.complete(mixed.replace(/&iss=[^&]+/, ''), atHonest.secret)).toEqual({
      failure: 'invalid_response',
    });
    expect([...honest.requests, ...evil.requests]).not.toContain('/token');
  });

  test('an ID token of one is not accepted from the other', async () => {
    await using honest = await startForgingProvider();
    await using evil = await startForgingProvider();
    const providers = openProviders([
      toProvider({ id: 'honest', issuer: honest.issuer }),
      toProvider({ id: 'evil', issuer: evil.issuer }),
    ]);
    const { url, secret } = requireBegun(await providers.begin('evil', { returnTo: '/' }));
    const { state, nonce } = Object.fromEntries(new URL(url).searchParams);
    evil.idToken = await honest.sign(toIdToken(honest, nonce));
    const target = `/sign-in/provider/evil/callback?code=c&state=${state}`;
    expect(await providers.complete(target, secret)).toEqual({ failure: 'invalid_response' });
    evil.idToken = await evil.sign(toIdToken(honest, nonce));
    expect(await providers.complete(target, secret)).toEqual({ failure: 'invalid_response' });
  });

  test('metadata that name another issuer are not used', async () => {
    await using evil = await startForgingProvider();
    const providers = openForged(evil);
    evil.metadata = { issuer: 'https://accounts.example.org' };
    expect(await providers.begin('staff', { returnTo: '/' })).toEqual({ failure: 'provider_unavailable' });
  });
});

test.each([
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example/',
  '/..//evil.example',
  'javascript:alert(1)',
  '/\t/evil.example',
])('the return path %j leads to our start page (open redirect)', async (returnTo) => {
  await using forged = await startForgingProvider();
  const providers = openForged(forged);
  const begun = requireBegun(await providers.begin('staff', { returnTo }));
  expect(await respond(forged, providers, begun)).toMatchObject({ returnTo: '/' });
});

describe('an ID token', () => {
  const now = Math.floor(Date.now() / 1000);

  test('that is as it should be is accepted', async () => {
    await using forged = await startForgingProvider();
    expect(await completeForged(forged, {})).toMatchObject({ claims: { subject: 'mallory', issuer: forged.issuer } });
  });

  test.each<[string, ForgedClaims]>([
    ['of another issuer', { iss: 'https://accounts.example.org' }],
    ['of an issuer that only begins like ours', { iss: 'http://127.0.0.1' }],
    ['for another client', { aud: 'another' }],
    ['for several clients, and issued to another', { aud: ['waybill', 'another'], azp: 'another' }],
    ['with another nonce', { nonce: 'another' }],
    ['without a nonce', { nonce: undefined }],
    ['that has expired', { exp: now - 60 }],
    ['without an expiry', { exp: undefined }],
    ['that is not valid yet', { nbf: now + 600 }],
    ['without the time of its issue', { iat: undefined }],
    ['without a subject', { sub: undefined }],
    ['with an empty subject', { sub: '' }],
    ['with a subject that is a number', { sub: 5 }],
    ['with a subject that is too long', { sub: 'x'.repeat(256) }],
    ['with a subject with a NUL', { sub: 'mallory\0' }],
  ])('%s is refused', async (_what, claims) => {
    await using forged = await startForgingProvider();
    expect(await completeForged(forged, claims)).toEqual({ failure: 'invalid_response' });
  });

  test('of an earlier sign-in is refused (replayed nonce)', async () => {
    await using forged = await startForgingProvider();
    const providers = openForged(forged);
    const earlier = requireBegun(await providers.begin('staff', { returnTo: '/' }));
    requireCompleted(await respond(forged, providers, earlier));
    const { idToken } = forged;
    const later = requireBegun(await providers.begin('staff', { returnTo: '/' }));
    expect(await respond(forged, providers, later, () => idToken)).toEqual({ failure: 'invalid_response' });
  });

  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  test.each<[string, (forged: ForgingProvider, claims: ForgedClaims) => string | Promise<string>]>([
    ['without a signature (alg none)', (_forged, claims) => `${encode({ alg: 'none' })}.${encode(claims)}.`],
    ['without a signature (alg None)', (_forged, claims) => `${encode({ alg: 'None' })}.${encode(claims)}.`],
    [
      'with the public key as the secret of an HMAC (key confusion)',
      ({ publicPem }, claims) => signByHmac(publicPem, claims),
    ],
    [
      'with the client secret as the secret of an HMAC',
      (_forged, claims) => signByHmac(toProvider({ issuer: '' }).clientSecret, claims),
    ],
    ['with another key', async (_forged, claims) => signByStranger(claims, { kid: 'forged' })],
    ['with a key of another name', async (_forged, claims) => signByStranger(claims, { kid: 'stranger' })],
    [
      'with a changed claim',
      async (forged, claims) => {
        const [header, , signature] = (await forged.sign(claims)).split('.');
        return `${header}.${encode({ ...claims, sub: 'alice' })}.${signature}`;
      },
    ],
    [
      'with an extension that must be understood',
      (forged, claims) => forged.sign(claims, { crit: ['b64'], b64: true }),
    ],
    ['that is no token', () => 'token'],
  ])('%s is refused', async (_what, forge) => {
    await using forged = await startForgingProvider();
    const providers = openForged(forged);
    const begun = requireBegun(await providers.begin('staff', { returnTo: '/' }));
    const outcome = await respond(forged, providers, begun, (claims) => forge(forged, claims));
    expect(outcome).toEqual({ failure: 'invalid_response' });
  });

  function signByHmac(secret: string, claims: ForgedClaims): string {
    const content = `${encode({ alg: 'HS256', kid: 'forged' })}.${encode(claims)}`;
    return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
  }

  async function signByStranger(claims: ForgedClaims, header: { kid: string }): Promise<string> {
    await using stranger = await startForgingProvider();
    return stranger.sign(claims, header);
  }
});

test('userinfo of another subject is refused', async () => {
  await using forged = await startForgingProvider();
  forged.userInfo = { sub: 'alice', email: 'alice@example.org', email_verified: true };
  expect(await completeForged(forged, { email: undefined })).toEqual({ failure: 'invalid_response' });
});

test('neither the log nor the outcome of a failure repeats a token, a code or an address', async () => {
  await using forged = await startForgingProvider();
  const providers = openForged(forged);
  const begun = requireBegun(await providers.begin('staff', { returnTo: '/' }));
  await respond(forged, providers, begun, (claims) => forged.sign({ ...claims, aud: 'another', jti: 'marked' }));
  forged.respond = (response) => response.end('access_token=marked id_token=marked mallory@example.org');
  await respond(forged, providers, begun);
  expect(providers.warnings).toHaveLength(2);
  const logged = JSON.stringify(providers.warnings);
  for (const secret of ['marked', 'mallory', 'eyJ', 'code-1', forged.idToken]) expect(logged).not.toContain(secret);
});

function openForged(forged: ForgingProvider) {
  return openProviders([toProvider({ issuer: forged.issuer })]);
}

function toIdToken({ issuer }: ForgingProvider, nonce: string | undefined): ForgedClaims {
  const now = Math.floor(Date.now() / 1000);
  const person = { ...mallory, sub: 'mallory' };
  return { iss: issuer, aud: 'waybill', iat: now, exp: now + 300, ...(nonce !== undefined && { nonce }), ...person };
}

/** Sends the browser back with a code, for which the provider issues a correct ID token, or the one that is forged. */
async function respond(
  forged: ForgingProvider,
  providers: ReturnType<typeof openForged>,
  { url, secret }: { url: string; secret: string },
  forge: (claims: ForgedClaims) => string | Promise<string> = (claims) => forged.sign(claims),
) {
  const { state, nonce } = Object.fromEntries(new URL(url).searchParams);
  forged.idToken = await forge(toIdToken(forged, nonce));
  return providers.complete(`/sign-in/provider/staff/callback?code=code-1&state=${state}`, secret);
}

/** The same, in a new sign-in, with these claims instead of the correct ones. */
async function completeForged(forged: ForgingProvider, changes: ForgedClaims) {
  const providers = openForged(forged);
  const begun = requireBegun(await providers.begin('staff', { returnTo: '/' }));
  return respond(forged, providers, begun, (claims) => forged.sign({ ...claims, ...changes }));
}
