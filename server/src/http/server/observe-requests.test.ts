import { request as httpRequest } from 'node:http';
import { fastify } from 'fastify';
import { afterEach, expect, test, vi } from 'vitest';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { createMetrics } from '../../observe/metrics.ts';
import { noTracing } from '../../observe/tracing.ts';
import type { App } from '../shared/app.ts';
import { replyWithError } from '../shared/json-errors.ts';
import { observeRequests } from './observe-requests.ts';

const apps: App[] = [];
afterEach(() => Promise.all(apps.splice(0).map((app) => app.close())));

async function server() {
  const metrics = createMetrics({ role: 'serve', version: '0' });
  const app = fastify() as unknown as App;
  apps.push(app);
  app.decorateRequest('refusal', undefined);
  app.decorateRequest('trace', undefined);
  app.setErrorHandler((error, request, reply) => replyWithError(error, request, reply));
  observeRequests(app, { metrics, tracing: noTracing });
  const config = { surface: 'api', authentication: 'nobody' } as const;
  app.get('/:user/files/:name', { config }, async () => 'bytes');
  app.get('/refused', { config }, async () => {
    throw new ExchangeError('unauthorized');
  });
  app.get('/slow', { config }, () => new Promise(() => undefined));
  const samples = async (prefix: string) =>
    (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(prefix));
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const ask = async (path: string, method = 'GET') => (await fetch(`${origin}${path}`, { method })).text();
  /** Waits, because a response may arrive before its end is counted. */
  const counted = (prefix: string, expected: unknown[]) =>
    vi.waitFor(async () => expect(await samples(prefix)).toEqual(expected));
  return { port: Number(new URL(origin).port), ask, samples, counted };
}

test('a request is counted by its route, its status and its error', async () => {
  const { ask, samples, counted } = await server();
  await ask('/someone@example.org/files/secret-name.pdf');
  await ask('/someone-else@example.org/files/other.pdf');
  await ask('/refused');
  await counted('waybill_http_requests_total', [
    'waybill_http_requests_total{surface="api",method="GET",route="/:user/files/:name",status="2xx"} 2',
    'waybill_http_requests_total{surface="api",method="GET",route="/refused",status="4xx"} 1',
  ]);
  await counted('waybill_http_refusals_total{surface="api",code="unauthorized"}', [
    'waybill_http_refusals_total{surface="api",code="unauthorized"} 1',
  ]);
  expect(await samples('waybill_http_request_duration_seconds_count')).toHaveLength(2);
});

test('adds no series for unknown paths and methods', async () => {
  const { ask, samples, counted } = await server();
  const before = async () => (await samples('waybill_')).length;
  await ask('/nothing');
  const count = await before();
  for (const path of ['/a', '/b?token=c', '/d/%ff', '/refused/x', '/%', `/${'x'.repeat(500)}`]) {
    for (const method of ['GET', 'DELETE', 'OPTIONS', 'PUT']) await ask(path, method);
  }
  expect(await before()).toBe(count);
  await counted('waybill_http_requests_total', [
    expect.stringMatching(
      /^waybill_http_requests_total\{surface="none",method="other",route="none",status="4xx"\} \d+$/,
    ),
  ]);
});

test('a request is in progress until its client disconnects, and then counts as cut', async () => {
  const { port, samples, counted } = await server();
  const request = httpRequest({ host: '127.0.0.1', port, path: '/slow' });
  request.on('error', () => undefined).end();
  const inProgress = (count: number) =>
    vi.waitFor(async () => expect((await samples('waybill_http_requests_in_progress')).at(0)).toMatch(`} ${count}`));
  await inProgress(1);
  expect(await samples('waybill_http_connections')).toEqual(['waybill_http_connections 1']);
  request.destroy();
  await inProgress(0);
  await counted('waybill_http_requests_total', [expect.stringContaining('status="cut"} 1')]);
  const [received = ''] = await samples('waybill_http_received_bytes_total');
  expect(Number(received.split(' ')[1])).toBeGreaterThan(20);
});
