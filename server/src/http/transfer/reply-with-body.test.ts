import { fastify } from 'fastify';
import { expect, test, vi } from 'vitest';
import { ExchangeError } from '../../domain/exchange-error.ts';
import type { App } from '../shared/app.ts';
import { replyWithBody } from './reply-with-body.ts';
import { limitTransferStarts, TransferLanes } from './transfer-lanes.ts';

test('an error in place of a download does not describe a file', async () => {
  const lanes = new TransferLanes();
  const app = fastify() as unknown as App;
  limitTransferStarts(app, lanes);
  app.get('/', { config: { transfer: true } }, (request, reply) => {
    const body = {
      headers: { 'content-disposition': 'attachment; filename="a.txt"', 'repr-digest': 'sha-256=:x:' },
      sizeBytes: 10,
      etag: '"x"',
      about: {},
      async *read() {
        yield Buffer.from('0123456789');
      },
      onSent: async () => undefined,
    };
    return replyWithBody(body, request, reply, new AbortController().signal);
  });
  const get = () => app.inject({ url: '/', headers: { range: 'bytes=0-4' } });
  expect((await get()).headers).toMatchObject({ etag: '"x"', 'content-range': 'bytes 0-4/10' });
  vi.spyOn(lanes.deliveries, 'requireRoom').mockImplementation(() => {
    throw new ExchangeError('unavailable');
  });
  const refused = await get();
  expect(refused.json()).toMatchObject({ code: 'unavailable' });
  for (const name of ['etag', 'content-range', 'accept-ranges', 'content-disposition', 'repr-digest'])
    expect(refused.headers).not.toHaveProperty(name);
});
