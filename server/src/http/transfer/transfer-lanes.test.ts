import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { expect, test, vi } from 'vitest';
import type { App } from '../shared/app.ts';
import { limitTransferStarts, TransferLanes } from './transfer-lanes.ts';

const endless = () => {
  const stream = new Readable({ read: () => undefined });
  stream.push('x');
  return stream;
};

/** Handlers that begin in every way that there is, and then wait for the client. None of them mentions a slot. */
const beginnings: Record<string, (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>> = {
  async 'reads its body piece by piece'({ body }) {
    for await (const piece of body as Readable) void piece;
  },
  async 'reads its body without destroying it'({ body }) {
    for await (const piece of (body as Readable).iterator({ destroyOnReturn: false })) void piece;
  },
  'pipes its body': ({ raw }) => pipeline(raw, new PassThrough().resume()),
  'listens to its body': ({ raw }) => new Promise((resolve) => raw.on('data', () => undefined).on('end', resolve)),
  'sends a stream': async (_request, reply) => reply.send(endless()),
  async 'writes its response itself'(_request, reply) {
    reply.hijack().raw.writeHead(200).write('x');
    await new Promise(() => undefined);
  },
};

function open(lanes: TransferLanes): App {
  const app = fastify({ forceCloseConnections: true }) as unknown as App;
  app.addContentTypeParser('application/x-bytes', async (_request: unknown, body: Readable) => body);
  limitTransferStarts(app, lanes);
  return app;
}

const headers = { 'content-type': 'application/x-bytes', 'content-length': 1000 };
const post = (app: App) =>
  httpRequest({ port: (app.server.address() as AddressInfo).port, method: 'POST', headers, agent: false });

test.each(Object.entries(beginnings))('a slot is free again once a handler %s', async (_how, handler) => {
  const lanes = new TransferLanes();
  const app = open(lanes);
  let begun = 0;
  app.post('/', { config: { transfer: true } }, (request, reply) => {
    begun += 1;
    return handler(request, reply);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const slow = Array.from({ length: 40 }, () => post(app));
  for (const client of slow) client.on('error', () => undefined).write('x');
  await expect.poll(() => begun).toBe(slow.length);
  await expect.poll(() => lanes.beginning.inUse).toBe(0);
  for (const client of slow) client.destroy();
  await app.close();
});

test.each([
  [200, 'succeeded'],
  [404, 'succeeded'],
  [503, 'failed'],
] as const)('a response of %i ends a beginning as one that %s', async (status, outcome) => {
  const lanes = new TransferLanes();
  const release = vi.fn();
  vi.spyOn(lanes.beginning, 'acquire').mockResolvedValue({ remainingMs: 1_000, release });
  const app = open(lanes);
  app.get('/', { config: { transfer: true } }, async (_request, reply) => reply.code(status).send('x'));
  expect((await app.inject('/')).statusCode).toBe(status);
  expect(release.mock.calls[0]).toEqual([outcome]);
});

const reads = Object.entries(beginnings).filter(([how]) => /body/.test(how));

test.each(reads)('it is free again although all has arrived before a handler %s', async (_how, handler) => {
  const lanes = new TransferLanes();
  const app = open(lanes);
  const allTaken = Promise.withResolvers<void>();
  app.post('/', { config: { transfer: true } }, async (request, reply) => {
    if (lanes.beginning.inUse === lanes.beginning.limit) allTaken.resolve();
    await allTaken.promise;
    await vi.waitUntil(() => request.raw.complete, { interval: 1 });
    await handler(request, reply);
    // Each file of a form takes one for its own beginning. If the request still had the first, all would wait.
    await lanes.beginning.run(async () => undefined);
    return 'done';
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const statuses = Array.from({ length: 40 }, async () => {
    const client = post(app);
    client.end(Buffer.alloc(headers['content-length']));
    const [response] = (await once(client, 'response')) as [IncomingMessage];
    return response.resume().statusCode;
  });
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
  await app.close();
});
