import { type FastifyInstance, fastify } from 'fastify';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { TransferLanes } from '../transfer/transfer-lanes.ts';
import { awaitHandlers } from './drain.ts';

test('deliveries that are not recorded when the app ends are logged', async () => {
  const lines: unknown[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  const app = fastify({ loggerInstance: pino({}, { write }) }) as unknown as FastifyInstance;
  const { deliveries } = new TransferLanes();
  awaitHandlers(app, deliveries, 50);
  let isAway = true;
  const notes = {
    kept: async () => undefined,
    async lost() {
      if (isAway) throw new ExchangeError('unavailable');
    },
  };
  app.get<{ Params: { id: keyof typeof notes } }>('/:id', async ({ params: { id } }, reply) => {
    reply.hijack().raw.end();
    await deliveries.note({ fileId: id, start: 0, end: 7 }, notes[id]);
  });
  for (const id of Object.keys(notes)) await app.inject(`/${id}`);
  await app.close();
  isAway = false;
  const lost = lines.filter((line) => JSON.stringify(line).includes('fileId'));
  expect(lost).toEqual([
    expect.objectContaining({
      level: 40,
      fileId: 'lost',
      start: 0,
      end: 7,
      msg: 'a delivery was not recorded before the end',
    }),
  ]);
});
