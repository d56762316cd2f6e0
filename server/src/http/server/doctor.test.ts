import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testPages } from '../../../test/pages.ts';
import { silentLog } from '../../../test/silent-log.ts';
import { ProbeTokens, probeHeader, probeMediaType } from '../../domain/doctor/probe.ts';
import { buildServer, type ServerEngines } from '../../services/build-server.ts';

const pepper = randomBytes(32);
const random = { bytes: randomBytes, uuid: randomUUIDv7 };
const tokens = new ProbeTokens(pepper);
const genuine = () => tokens.make(random, Date.now());

const app = buildServer({ pepper, policy: { maxFileBytes: 1024 } } as unknown as ServerEngines, {
  log: silentLog,
  makeRequestId: () => 'test-1',
  publicUrl: 'https://files.example.org',
  allowedHosts: [],
  trustedProxies: [],
  paceLimits: { minBodyBytesPerSecond: 1024 },
  pages: testPages,
});
beforeAll(() => app.ready());
afterAll(() => app.close());

const ask = (url: string, token: string | undefined) =>
  app.inject({
    method: 'POST',
    url,
    headers: { host: 'files.example.org', 'content-type': probeMediaType, ...(token && { [probeHeader]: token }) },
    payload: 'x',
  });

test('tells the operator how the request arrived, and nothing secret', async () => {
  const { statusCode, body } = await ask('/doctor', genuine());
  expect(statusCode).toBe(200);
  expect(JSON.parse(body.split('\n', 1)[0] ?? '')).toEqual({
    connection: '127.0.0.1',
    trusted: false,
    client: '127.0.0.1',
    bodyMs: 0,
  });
});

test.each<[who: string, token: () => string | undefined]>([
  ['without a token', () => undefined],
  ['with nonsense', () => 'x'],
  ['with the token of another pepper', () => new ProbeTokens(randomBytes(32)).make(random, Date.now())],
  ['with a token of an hour ago', () => tokens.make(random, Date.now() - 3_600_000)],
  ['with a token from the future', () => tokens.make(random, Date.now() + 3_600_000)],
  ['with a changed time', () => genuine().replace(/^\d+/, (seconds) => `${Number(seconds) + 1}`)],
])('responds to anyone else, %s, as if there were no such path', async (_who, token) => {
  const [response, nowhere] = [await ask('/doctor', token()), await ask('/nowhere', token())];
  expect(response.statusCode).toBe(404);
  expect(response.json()).toEqual(nowhere.json());
});
