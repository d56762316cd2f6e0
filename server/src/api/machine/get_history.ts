import { Readable } from 'node:stream';
import { History } from '@waybill/protocol';
import { findAccountById } from '../../domain/accounts/read-accounts.ts';
import { countLiveDrops, readHistory, readInbox } from '../../domain/drops/read-history.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { type CgiEngines, route } from './route.ts';
import { historyEntry, inboxEntry, toSender } from './shapes.ts';

/** docs/api.md#10-get-history. Streamed as it is read: the response may be far larger than the memory it is made in. */
export const getHistory = route({
  method: 'GET',
  path: '/cgi/get_history.cgi',
  id: 'getHistory',
  summary: 'Get the account’s drops and its inbox',
  authentication: 'account+csrf',
  response: { status: 200, description: 'Both, newest first.', schema: History },
  errors: [],
  async handle({ engines, actor, reply }) {
    const text = Readable.from(historyText(engines, actor.accountId), { objectMode: false });
    return reply.type('application/json; charset=utf-8').send(text);
  },
});

async function* historyText(engines: CgiEngines, accountId: string): AsyncGenerator<string> {
  const account = await findAccountById(engines, accountId);
  if (!account) throw new ExchangeError('not_found');
  const us = toSender(account);
  yield '{"history":[';
  yield* joined(readHistory(engines, accountId), (drop) => historyEntry(drop, us));
  yield `],"live_drops":"${await countLiveDrops(engines, accountId)}","inbox":[`;
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
