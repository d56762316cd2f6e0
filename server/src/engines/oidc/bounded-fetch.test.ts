import { describe, expect, test } from 'vitest';
import { openProviders, toProvider } from '../../../test/providers.ts';
import { startForgingProvider } from '../../../test/servers/forging-provider.ts';
import { boundedFetch } from './bounded-fetch.ts';

const get = { method: 'GET', headers: {} };

describe('a request to a provider', () => {
  test('follows no redirect', async () => {
    await using elsewhere = await startForgingProvider();
    await using provider = await startForgingProvider();
    provider.respond = (response) => response.writeHead(302, { location: `${elsewhere.issuer}/jwks` }).end();
    const response = await boundedFetch(new URL(provider.issuer))(`${provider.issuer}/jwks`, get);
    expect(response.status).toBe(302);
    const providers = openProviders([toProvider({ issuer: provider.issuer })]);
    expect(await providers.begin('staff', { returnTo: '/' })).toEqual({ failure: 'provider_unavailable' });
    expect(elsewhere.requests).toEqual([]);
  });

  test('reads no more than a bounded response', async () => {
    await using provider = await startForgingProvider();
    const fetchFrom = boundedFetch(new URL(provider.issuer));
    provider.respond = (response) => response.end(Buffer.alloc(512 * 1024, ' '));
    expect((await (await fetchFrom(provider.issuer, get)).text()).length).toBe(512 * 1024);
    provider.respond = (response) => response.end(Buffer.alloc(512 * 1024 + 1, ' '));
    await expect(fetchFrom(provider.issuer, get)).rejects.toThrow('the response is too large');
  });

  test('ends at its deadline, also in the middle of a response', async () => {
    await using provider = await startForgingProvider();
    const headers = { 'content-type': 'application/json' };
    provider.respond = (response) => response.writeHead(200, headers).write('{');
    const providers = openProviders([toProvider({ issuer: provider.issuer })], { timeoutMs: 100 });
    expect(await providers.begin('staff', { returnTo: '/' })).toEqual({ failure: 'provider_unavailable' });
    expect(providers.warnings).toMatchObject([{ reason: expect.stringContaining('TimeoutError') }]);
  });

  test.each([
    ['https://login.example.org', 'http://login.example.org/jwks'],
    ['https://login.example.org', 'http://127.0.0.1:1/jwks'],
    ['http://127.0.0.1:1', 'http://login.example.org/jwks'],
    ['http://127.0.0.1:1', 'file:///etc/passwd'],
  ])('of the issuer %s does not go to %s', async (issuer, url) => {
    await expect(boundedFetch(new URL(issuer))(url, get)).rejects.toThrow('not protected by HTTPS');
  });
});
