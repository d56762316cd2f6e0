import { Readable } from 'node:stream';
import { readHistory, readInbox } from '../../domain/drops/read-history.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { type CgiEngines, type Endpoint, requireActor } from './endpoint.ts';
import { historyEntry, inboxEntry, toSender } from './shapes.ts';

/** docs/api.md#10-get-history. Streamed as it is read: the response may be far larger than the memory it is made in. */
export const getHistory: Endpoint = (app, engines) => {
  app.get('/:user/cgi/get_history.cgi', { config: { authentication: 'account+csrf' } }, async (request, reply) => {
    const answer = historyText(engines, requireActor(request).accountId);
    return reply.type('application/json; charset=utf-8').send(Readable.from(answer, { objectMode: false }));
  });
};

async function* historyText(engines: CgiEngines, accountId: string): AsyncGenerator<string> {
  const account = await engines.store.accounts.byId(accountId);
  if (!account) throw new ExchangeError('not_found');
  const us = toSender(account);
  yield '{"history":[';
  yield* joined(readHistory(engines, accountId), (drop) => historyEntry(drop, us));
  yield `],"live_drops":"${await engines.store.drops.countLive(accountId)}","inbox":[`;
  yield* joined(readInbox(engines, accountId), inboxEntry);
  yield ']}';
}

async function* joined<Item>(groups: AsyncIterable<Item[]>, shape: (item: Item) => unknown): AsyncGenerator<string> {
  let separator = '';
  for await (const group of groups) {
    yield separator + group.map((item) => JSON.stringify(shape(item))).join(',');
    separator = ',';
  }
}
