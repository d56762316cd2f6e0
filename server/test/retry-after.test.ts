// Every response that asks a caller to wait says for how long: every code, on both APIs, through the real HTTP layer.
import { randomUUID } from 'node:crypto';
import { type ErrorCode, errorCodes, errors } from '@waybill/protocol';
import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, test } from 'vitest';
import { openapiDocument } from '../src/api/machine/openapi.ts';
import { routes as machineRoutes } from '../src/api/machine/routes.ts';
import { v1Errors } from '../src/api/v1/problems.ts';
import { routes as v1Routes } from '../src/api/v1/routes.ts';
import { ExchangeError } from '../src/domain/exchange-error.ts';
import type { Store } from '../src/domain/store.ts';
import { v1Described } from './request-v1.ts';
import { buildTestServer, testHost } from './server.ts';
import { useTestServer } from './use-test-server.ts';

const { exchange } = await useTestServer();
const { store } = exchange.engines;
const owner = await exchange.account();
const bearer = { host: testHost, authorization: `Bearer ${owner.apiKey}` };
const basic = {
  host: testHost,
  authorization: `Basic ${Buffer.from(`${owner.email}:${owner.apiKey}`).toString('base64')}`,
  'csrf-token': 'x'.repeat(43),
};

/** The codes that say that the same request may succeed after a while. */
const waitingCodes = errorCodes.filter(
  (code) => [429, 503].includes(errors[code].status) || code === 'request_in_flight',
);
const codesOf = (surface: 'api' | 'v1') => errorCodes.filter((code) => errors[code].surfaces.includes(surface));

function expectRetryAfter(response: LightMyRequestResponse, code: ErrorCode): void {
  const expected = waitingCodes.includes(code) ? expect.stringMatching(/^[1-9][0-9]*$/) : undefined;
  expect(response.headers['retry-after'], code).toEqual(expected);
}

test.each(codesOf('v1'))('%s on /api/v1 has Retry-After if it asks to wait', async (code) => {
  const page = () => Promise.reject(new ExchangeError(code));
  const app = buildTestServer(exchange, { store: { ...store, sentDrops: { ...store.sentDrops, page } } });
  const response = await app.inject({ url: '/api/v1/drops', headers: bearer });
  expect([response.statusCode, response.json().code]).toEqual([v1Errors[code].status, code]);
  expectRetryAfter(response, code);
  await app.close();
});

test.each(codesOf('api'))('%s on the machine API has Retry-After if it asks to wait', async (code) => {
  const csrfTokens = { mint: () => Promise.reject(new ExchangeError(code)), accept: async () => true };
  const app = buildTestServer(exchange, { csrfTokens });
  const response = await app.inject({ url: `/${owner.email}/`, headers: basic });
  expect([response.statusCode, response.json().code]).toEqual([errors[code].status, code]);
  expectRetryAfter(response, code);
  await app.close();
});

/** A database that is out of reach for everything but the caller's key. */
function makeBrokenStore(): Store {
  const fail = () => Promise.reject(new ExchangeError('unavailable'));
  const { credentials, liveKey, recordKeyUse } = store.accounts;
  const broken = new Proxy({}, { get: () => fail });
  const working: Readonly<Record<string | symbol, unknown>> = { credentials, liveKey, recordKeyUse };
  const accounts = new Proxy(working, {
    get: (_, name) => working[name] ?? fail,
  });
  return new Proxy({} as Store, {
    get: (_, name) =>
      name === 'accounts' ? accounts : name === 'transaction' || name === 'exclusively' ? fail : broken,
  });
}

describe('an operation that cannot reach the database', () => {
  const csrfTokens = { mint: async () => '', accept: async () => true };
  const app = buildTestServer(exchange, { store: makeBrokenStore(), csrfTokens });
  const id = randomUUID();

  async function expectToWait(response: LightMyRequestResponse, name: string) {
    expect([name, response.statusCode]).toEqual([name, 503]);
    expect(response.headers['retry-after'], name).toBe('5');
  }

  const tusHeaders = {
    'tus-resumable': '1.0.0',
    'upload-offset': '0',
    'upload-length': '1',
    'content-type': 'application/offset+octet-stream',
  };
  /** These need nothing of the database, or a test account. */
  const independent = new Set(['getUploadOptions', 'listTestMessages']);

  // The session of a link is looked for in the database, and not found.
  const needing = v1Routes.filter(({ id: name, access }) => !independent.has(name) && (!access || access === 'link'));
  test.each(needing.map((route) => [route.id, route] as const))('%s says for how long to wait', async (name, route) => {
    const { method, example, body, stream } = route;
    const path = route.path
      .replace(':email', 'anna@example.org')
      .replace(':receiver_id', '0')
      .replace(':link_id', '1000000')
      .replace(/:\w+/g, id);
    const query = name === 'listReceipts' ? '?reference=WB-0000-0000' : '';
    const uploads = stream && route.path.startsWith('/uploads');
    const response = await app.inject({
      method,
      url: `/api/v1${path}${query}`,
      headers: { ...bearer, ...(uploads ? tusHeaders : {}) },
      ...(body ? { payload: example ?? {} } : {}),
    });
    await expectToWait(response, name);
  });

  test('also if a small file is sent whole', async () => {
    const headers = { ...bearer, 'content-type': 'text/plain', 'content-disposition': 'attachment; filename="a.txt"' };
    await expectToWait(await app.inject({ method: 'POST', url: '/api/v1/uploads', headers, payload: 'a' }), 'whole');
  });

  test('of the machine API as well', async () => {
    const reads = ['get_files.cgi', 'contacts_read.cgi', 'get_history.cgi'];
    for (const name of reads) {
      await expectToWait(await app.inject({ url: `/${owner.email}/cgi/${name}`, headers: basic }), name);
    }
  });
});

test('every described response that asks to wait has the header', () => {
  const codesIn = (response: object) => errorCodes.filter((code) => JSON.stringify(response).includes(`"${code}"`));
  const responses = [
    ...Object.values(v1Described.components.responses),
    ...Object.values(openapiDocument(machineRoutes).paths).flatMap((methods) =>
      Object.entries(methods).flatMap(([, operation]) =>
        Object.values((operation as { responses?: Record<string, object> }).responses ?? {}),
      ),
    ),
  ] as { headers?: Record<string, object>; content?: object }[];
  const seen = new Set<ErrorCode>();
  for (const { headers = {}, content = {} } of responses) {
    const waiting = codesIn(content).filter((code) => waitingCodes.includes(code));
    for (const code of waiting) seen.add(code);
    if (waiting.length > 0) expect(headers, JSON.stringify(content)).toHaveProperty('Retry-After');
  }
  expect([...seen].toSorted()).toEqual(waitingCodes.toSorted());
});
