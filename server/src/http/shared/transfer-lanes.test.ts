import { type ClientRequest, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { expect, test } from 'vitest';
import type { App } from '../app.ts';
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

test.each(Object.entries(beginnings))('a slot is free again once a handler %s', async (_how, handler) => {
  const app = fastify({ forceCloseConnections: true }) as unknown as App;
  const lanes = new TransferLanes();
  app.addContentTypeParser('application/x-bytes', async (_request: unknown, body: Readable) => body);
  limitTransferStarts(app, lanes);
  let begun = 0;
  app.post('/', { config: { transfer: true } }, (request, reply) => {
    begun += 1;
    return handler(request, reply);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const headers = { 'content-type': 'application/x-bytes', 'content-length': 1000 };
  const slow: ClientRequest[] = Array.from({ length: 40 }, () =>
    httpRequest({ port, method: 'POST', headers, agent: false }),
  );
  for (const client of slow) client.on('error', () => undefined).write('x');
  await expect.poll(() => begun).toBe(slow.length);
  await expect.poll(() => lanes.beginning.inUse).toBe(0);
  for (const client of slow) client.destroy();
  await app.close();
});
