// The same as with oidc-provider, through an implementation that shares no code with it or with our libraries.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  openProviders,
  publicUrl,
  requireBegun,
  requireCompleted,
  toProvider,
  toRequestTarget,
} from '../../../test/providers.ts';
import { startLemonLdap } from '../../../test/servers/own-lemonldap.ts';
import { toProviderPaths } from '../../domain/ports/identity-provider.ts';
import { decideProviderSignIn } from '../../domain/sign-in/provider-policy.ts';
import type { OidcProvider } from './identity-providers.ts';

const secret = 'a secret: with characters that Basic would encode';
const toClient = (id: string, algorithm: 'RS256' | 'HS256' | 'none') => ({
  id,
  secret,
  redirectUri: publicUrl + toProviderPaths(id).callback,
  algorithm,
});

let lemonLdap: Awaited<ReturnType<typeof startLemonLdap>>;
beforeAll(async () => {
  const clients = [toClient('staff', 'RS256'), toClient('symmetric', 'HS256'), toClient('unsigned', 'none')];
  lemonLdap = await startLemonLdap(clients);
});
afterAll(() => lemonLdap[Symbol.asyncDispose]());

function open(settings: Partial<OidcProvider> = {}) {
  const { id = 'staff' } = settings;
  return openProviders([toProvider({ issuer: lemonLdap.issuer, clientId: id, clientSecret: secret, ...settings })]);
}

async function signIn(login: string, settings: Partial<OidcProvider> = {}) {
  const { id = 'staff' } = settings;
  const providers = open(settings);
  const browser = lemonLdap.openBrowser();
  const begun = requireBegun(await providers.begin(id, { returnTo: '/orders@example.org/' }));
  const target = toRequestTarget(await browser.signIn(begun.url, login));
  const completed = await providers.complete(target, begun.secret);
  return { providers, browser, begun, target, completed };
}

describe('a sign-in through LemonLDAP::NG', () => {
  test('returns who the person is, with claims and groups from userinfo', async () => {
    const { completed, providers } = await signIn('rtyler', { groupsClaim: ['groups'] });
    expect(completed).toMatchObject({
      claims: {
        provider: 'staff',
        issuer: lemonLdap.issuer,
        subject: 'rtyler',
        email: 'rtyler@badwolf.org',
        emailVerified: undefined,
        name: 'Rose Tyler',
      },
      returnTo: '/orders@example.org/',
    });
    expect(requireCompleted(completed).claims.groups?.toSorted()).toEqual(['earthlings', 'users']);
    expect(providers.warnings).toEqual([]);
  });

  test('has one value of a claim as a text, and none of one that is not exported', async () => {
    const createPeople = { domains: undefined, claim: { path: ['role'], values: ['dwho'] } };
    const { completed } = await signIn('dwho', { createPeople, groupsClaim: ['teams'] });
    expect(completed).toMatchObject({ claims: { creationClaim: ['dwho'], groups: undefined } });
  });

  test('reaches a person with the address only with a proof from them, and only if the operator trusts the address', async () => {
    const { claims } = requireCompleted((await signIn('rtyler')).completed);
    const known = { byIdentity: undefined, byEmail: 'rose' };
    const strict = toProvider({ issuer: lemonLdap.issuer });
    expect(decideProviderSignIn(strict, claims, known)).toEqual({ action: 'refuse', reason: 'email_not_verified' });
    expect(decideProviderSignIn({ ...strict, requireEmailVerified: false }, claims, known)).toEqual({
      action: 'prove_address',
      personId: 'rose',
      email: 'rtyler@badwolf.org',
    });
  });

  test('cannot be completed a second time, or in another browser', async () => {
    const { providers, target, begun, completed } = await signIn('msmith');
    requireCompleted(completed);
    expect(await providers.complete(target, begun.secret)).toEqual({ failure: 'invalid_response' });
    const other = requireBegun(await providers.begin('staff', { returnTo: '/' }));
    expect(await providers.complete(target, other.secret)).toEqual({ failure: 'not_begun_here' });
  });

  test.each(['symmetric', 'unsigned'])('of a client whose ID tokens are %s is refused', async (id) => {
    expect((await signIn('rtyler', { id })).completed).toEqual({ failure: 'invalid_response' });
  });

  test('with a wrong secret is refused', async () => {
    const { completed } = await signIn('rtyler', { clientSecret: 'wrong' });
    expect(completed).toEqual({ failure: 'invalid_response' });
  });
});

test('signing out leads through LemonLDAP::NG back to us, and the next sign-in asks again', async () => {
  const { providers, browser, completed } = await signIn('rtyler', { endSession: true });
  requireCompleted(completed);
  const again = requireBegun(await providers.begin('staff', { returnTo: '/' }));
  expect(await browser.signIn(again.url, 'dwho')).toContain('code=');
  const url = (await providers.findEndSessionUrl('staff')) ?? '';
  expect(await browser.signOut(url)).toBe(`${publicUrl}/sign-in`);
  const next = requireBegun(await providers.begin('staff', { returnTo: '/' }));
  const target = toRequestTarget(await browser.signIn(next.url, 'dwho'));
  expect(await providers.complete(target, next.secret)).toMatchObject({ claims: { subject: 'dwho' } });
});
