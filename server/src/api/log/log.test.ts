import { parsePolicy } from '@waybill/evidence';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestExchange, type TestExchange } from '../../../test/exchange.ts';
import { type MemoryLogObjects, memoryLogObjects } from '../../../test/memory/memory-log-objects.ts';
import { buildTestServer, testHost } from '../../../test/server.ts';
import { watchJob } from '../../../test/watch-operations.ts';
import { Sequencer } from '../../domain/evidence/sequencer.ts';

const live = new AbortController().signal;
let exchange: TestExchange;
let objects: MemoryLogObjects;
let app: FastifyInstance;
const reads: string[] = [];

beforeAll(async () => {
  exchange = await openTestExchange();
  objects = memoryLogObjects();
  const logObjects = {
    ...objects,
    read: (...call: Parameters<typeof objects.read>) => {
      reads.push(call[0]);
      return objects.read(...call);
    },
  };
  const { store } = exchange.engines;
  const accountId = '3f0c6f5e-7f6f-4d0c-9f39-0f2a6c1f1d11';
  await store.evidence.append(
    Array.from({ length: 300 }, () => ({ accountId, kind: 'key.destroyed' as const, data: { day: '2026-11-18' } })),
  );
  const sequencer = new Sequencer({ ...exchange.engines, logObjects: objects });
  await watchJob('sequence', () => sequencer.step(live));
  app = buildTestServer(exchange, { logObjects });
});
afterAll(async () => {
  await app.close();
  await exchange[Symbol.asyncDispose]();
});

const get = (url: string, headers: Record<string, string> = {}) =>
  app.inject({ method: 'GET', url, headers: { host: testHost, ...headers } });

test('a checkpoint is what is in the bucket, for a second', async () => {
  const response = await get('/log/1/checkpoint');
  expect(response.statusCode).toBe(200);
  expect(response.rawPayload.equals(objects.objects.get('1/checkpoint') as Buffer)).toBe(true);
  expect(response.headers).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'public, max-age=1',
    'x-content-type-options': 'nosniff',
  });
  expect(response.headers.expires).toBeUndefined();
  const etag = response.headers.etag as string;
  const again = await get('/log/1/checkpoint', { 'if-none-match': etag });
  expect([again.statusCode, again.payload]).toEqual([304, '']);
  reads.length = 0;
  await Promise.all(Array.from({ length: 100 }, () => get('/log/1/checkpoint')));
  expect(reads.length).toBeLessThanOrEqual(2);
});

test('tiles and bundles can be kept forever', async () => {
  for (const path of ['tile/0/000', 'tile/0/001.p/45', 'tile/1/000.p/1', 'tile/entries/000', 'tile/entries/001.p/45']) {
    const response = await get(`/log/1/${path}`);
    expect(response.statusCode, path).toBe(200);
    expect(response.rawPayload.equals(objects.objects.get(`1/${path}`) as Buffer)).toBe(true);
    expect(response.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'cache-control': 'public, max-age=31536000, immutable',
    });
  }
});

test('a partial tile that was deleted is read from the full one, which is refused until a checkpoint covers it', async () => {
  const full = new Map([
    ['1/tile/0/001', Buffer.alloc(8192, 1)],
    ['1/tile/entries/001', Buffer.alloc(256 * 34, 2)],
  ]);
  for (const [name, bytes] of full) {
    const partial = objects.objects.get(`${name}.p/45`) as Buffer;
    objects.objects.delete(`${name}.p/45`);
    objects.objects.set(name, Buffer.concat([partial, bytes.subarray(partial.length)]));
    try {
      const response = await get(`/log/${name}.p/45`);
      expect([response.statusCode, response.rawPayload.equals(partial)]).toEqual([200, true]);
      expect((await get(`/log/${name}`)).statusCode).toBe(404);
    } finally {
      objects.objects.delete(name);
      expect((await get(`/log/${name}.p/45`)).statusCode).toBe(404);
      objects.objects.set(`${name}.p/45`, partial);
    }
  }
});

test('the policy has the keys of the log', async () => {
  const response = await get('/log/policy');
  expect(response.statusCode).toBe(200);
  const { logs, urls } = parsePolicy(response.payload);
  expect(logs.map(({ name, type }) => [name, type])).toEqual([
    ['files.example.org/log/1', 1],
    ['files.example.org/log/1', 6],
  ]);
  expect(new Set(urls.values())).toEqual(new Set(['https://files.example.org/log/1']));
});

test.each([
  '/log/0/checkpoint',
  '/log/01/checkpoint',
  '/log/2/checkpoint',
  '/log/999999999/checkpoint',
  '/log/9999999999/checkpoint',
  '/log/1/checkpoint/',
  '/log/1/tile/0/1',
  '/log/1/tile/0/000.p/256',
  '/log/1/tile/0/000.p/0',
  '/log/1/tile/0/001',
  '/log/1/tile/0/001.p/46',
  '/log/1/tile/0/x001/000',
  '/log/1/tile/1/000.p/2',
  '/log/1/tile/64/000',
  '/log/1/tile/entries/002',
  '/log/1/tile/0/..%2f..%2f..%2fday-keys',
  '/log/1/tile/',
  '/log/1/tile',
  '/log/x/tile/0/000',
  '/log/1/../../day-keys/x',
])('%s does not exist, and the bucket is not asked for it', async (path) => {
  await get('/log/1/checkpoint');
  reads.length = 0;
  const response = await get(path);
  expect(response.statusCode).toBe(404);
  expect(reads.filter((name) => name !== '1/checkpoint')).toEqual([]);
});

test('only GET and HEAD are allowed', async () => {
  for (const url of ['/log/1/checkpoint', '/log/1/tile/0/000', '/log/policy']) {
    const put = await app.inject({ method: 'DELETE', url, headers: { host: testHost } });
    expect([put.statusCode, put.headers.allow]).toEqual([405, 'GET, HEAD']);
    const head = await app.inject({ method: 'HEAD', url, headers: { host: testHost } });
    expect(head.statusCode).toBe(200);
  }
});
