import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openProviders, toProvider } from '../../../test/providers.ts';
import {
  type ForgedClaims,
  type ForgingProvider,
  startForgingProvider,
} from '../../../test/servers/forging-provider.ts';

let forged: ForgingProvider;
beforeAll(async () => {
  forged = await startForgingProvider();
});
afterAll(() => forged[Symbol.asyncDispose]());

const event = 'http://schemas.openid.net/event/backchannel-logout';
const now = Math.floor(Date.now() / 1000);
const toClaims = (): ForgedClaims => ({
  iss: forged.issuer,
  aud: 'waybill',
  iat: now,
  exp: now + 120,
  jti: 'logout-1',
  sub: 'alice',
  sid: 'session-1',
  events: { [event]: {} },
});

const open = (options = {}) => openProviders([toProvider({ issuer: forged.issuer })], options);
const verify = async (token: string) => open().verifyLogoutToken('staff', token);
const verifyClaims = async (changes: ForgedClaims, header = {}) =>
  verify(await forged.sign({ ...toClaims(), ...changes }, { typ: 'logout+jwt', ...header }));

describe('a logout token', () => {
  test('names the session and the subject', async () => {
    expect(await verifyClaims({})).toEqual({
      provider: 'staff',
      issuer: forged.issuer,
      sid: 'session-1',
      subject: 'alice',
      singleUse: { digest: expect.any(Buffer), seconds: 660 },
    });
  });

  test.each<[string, ForgedClaims, object]>([
    ['only the session', { sub: undefined }, { sid: 'session-1', subject: undefined }],
    ['only the subject', { sid: undefined }, { sid: undefined, subject: 'alice' }],
    ['us among others', { aud: ['another', 'waybill'] }, { sid: 'session-1' }],
  ])('may name %s', async (_what, changes, expected) => {
    expect(await verifyClaims(changes)).toMatchObject(expected);
  });

  test.each([undefined, 'JWT', 'logout+jwt', 'application/logout+jwt'])('may be of the type %s', async (typ) => {
    expect(await verifyClaims({}, { typ })).toMatchObject({ sid: 'session-1' });
  });

  test.each<[string, ForgedClaims, object?]>([
    ['with a nonce', { nonce: 'n' }],
    ['with an empty nonce', { nonce: '' }],
    ['without events', { events: undefined }],
    ['with another event', { events: { 'http://schemas.openid.net/event/other': {} } }],
    ['with events as a list', { events: [event] }],
    ['with events as a text', { events: event }],
    ['with an event that is no object', { events: { [event]: true } }],
    ['of another client', { aud: 'another' }],
    ['of another issuer', { iss: 'https://accounts.example.org' }],
    ['without an issuer', { iss: undefined }],
    ['without an audience', { aud: undefined }],
    ['without the time of its issue', { iat: undefined }],
    ['that is too old', { iat: now - 700 }],
    ['from the future', { iat: now + 300, exp: now + 600 }],
    ['that has expired', { exp: now - 60 }],
    ['without an expiry', { exp: undefined }],
    ['without an id', { jti: undefined }],
    ['with an id that is too long', { jti: 'x'.repeat(256) }],
    ['without a session and a subject', { sid: undefined, sub: undefined }],
    ['with a session that is a number', { sid: 5 }],
    ['with an empty subject', { sub: '' }],
    ['of the type of an access token', {}, { typ: 'at+jwt' }],
  ])('%s is refused', async (_what, changes, header) => {
    expect(await verifyClaims(changes, header)).toEqual({ failure: 'invalid_token' });
  });

  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  test('without a signature is refused (alg none)', async () => {
    expect(await verify(`${encode({ alg: 'none', typ: 'logout+jwt' })}.${encode(toClaims())}.`)).toEqual({
      failure: 'invalid_token',
    });
  });

  test('with an HMAC by the public key or by the client secret is refused', async () => {
    const content = `${encode({ alg: 'HS256', typ: 'logout+jwt', kid: 'forged' })}.${encode(toClaims())}`;
    for (const secret of [forged.publicPem, toProvider({ issuer: '' }).clientSecret]) {
      const signature = createHmac('sha256', secret).update(content).digest('base64url');
      expect(await verify(`${content}.${signature}`)).toEqual({ failure: 'invalid_token' });
    }
  });

  test('by another key is refused', async () => {
    await using stranger = await startForgingProvider();
    const token = await stranger.sign(toClaims(), { typ: 'logout+jwt' });
    expect(await verify(token)).toEqual({ failure: 'invalid_token' });
  });

  test.each(['', 'token', 'a.b.c', '..', 'x'.repeat(20_000)])('that is no token is refused', async (token) => {
    expect(await verify(token)).toEqual({ failure: 'invalid_token' });
  });

  test('that comes again has the same digest until nobody would accept it any more', async () => {
    let time = now * 1000;
    const providers = open({ now: () => time });
    const token = await forged.sign({ ...toClaims(), exp: now + 86_400 }, { typ: 'logout+jwt' });
    const first = await providers.verifyLogoutToken('staff', token);
    if ('failure' in first) throw new Error(first.failure);
    time += 629_000;
    expect(await providers.verifyLogoutToken('staff', token)).toEqual(first);
    time += 31_000;
    expect(time).toBe((now + first.singleUse.seconds) * 1000);
    expect(await providers.verifyLogoutToken('staff', token)).toEqual({ failure: 'invalid_token' });
  });

  test('with another id, or of another provider with the same id, is another one', async () => {
    await using other = await startForgingProvider();
    const providers = openProviders([
      toProvider({ issuer: forged.issuer }),
      toProvider({ id: 'other', issuer: other.issuer }),
    ]);
    const logouts = [
      await providers.verifyLogoutToken('staff', await forged.sign(toClaims())),
      await providers.verifyLogoutToken('staff', await forged.sign({ ...toClaims(), jti: 'logout-2' })),
      await providers.verifyLogoutToken('other', await other.sign({ ...toClaims(), iss: other.issuer })),
    ];
    const ids = logouts.map((logout) =>
      'failure' in logout ? logout.failure : logout.singleUse.digest.toString('hex'),
    );
    expect(new Set(ids).size).toBe(3);
    expect(await providers.verifyLogoutToken('other', await forged.sign(toClaims()))).toEqual({
      failure: 'invalid_token',
    });
  });
});

test('tokens with unknown keys do not make us ask the provider for its keys each time', async () => {
  await using provider = await startForgingProvider();
  const providers = openProviders([toProvider({ issuer: provider.issuer })]);
  for (let count = 0; count < 20; count += 1) {
    const token = await provider.sign(toClaims(), { kid: `unknown-${count}` });
    expect(await providers.verifyLogoutToken('staff', token)).toEqual({ failure: 'invalid_token' });
  }
  expect(provider.requests.filter((path) => path === '/jwks')).toHaveLength(1);
});

test('a provider whose keys cannot be read is unavailable, and its token is not wrong', async () => {
  await using provider = await startForgingProvider();
  provider.respond = undefined;
  const providers = openProviders([toProvider({ issuer: provider.issuer, endSession: true })]);
  await providers.findEndSessionUrl('staff');
  provider.respond = (response) => response.writeHead(503).end();
  const token = await provider.sign({ ...toClaims(), iss: provider.issuer });
  expect(await providers.verifyLogoutToken('staff', token)).toEqual({ failure: 'provider_unavailable' });
});
