// The lines about transfers that fail after their status was sent.
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import { sentLink } from '../../../test/links.ts';
import { buildTestServer, testHost as host } from '../../../test/server.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { openLink } from '../../domain/links/open-link.ts';
import { downloads } from '../../web/links/link-pages.ts';
import { sessionCookie, sessionPath } from '../../web/links/session.ts';

const exchange = await useTestExchange();
const { engines } = exchange;

type Changes = Parameters<typeof buildTestServer>[1];

/** Requests a transfer that fails, and returns the line about it. */
async function readLine(changes: Changes, path: string, headers: Record<string, string>) {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  const app = buildTestServer(exchange, changes, { log: pino({ level: 'trace' }, { write }) });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const outgoing = request({ host: '127.0.0.1', port, path, headers: { host, ...headers }, agent: false });
  outgoing.on('response', (response) => response.on('error', () => undefined).resume());
  outgoing.on('error', () => undefined).end();
  const find = () => lines.find(({ msg }) => String(msg).endsWith('was broken off'));
  await expect.poll(find, { timeout: 10_000 }).toBeDefined();
  await app.close();
  return find();
}

const faults = [
  { name: 'an outage', error: new ExchangeError('unavailable', undefined, { engine: 's3' }), level: 40 },
  { name: 'a damaged object', error: new ExchangeError('damaged'), level: 40 },
  { name: 'a fault of ours', error: new TypeError('x is undefined'), level: 50 },
];

test.each(faults)('a download that $name breaks off is logged at level $level', async ({ error, level }) => {
  const sender = await exchange.account('r@example.org');
  await exchange.upload(sender, 'large.bin', randomBytes(40_000_000));
  const { link } = await sentLink(exchange, ['small.txt'], ['r@example.org'], sender);
  const file = (await engines.store.links.files(link)).find(({ name }) => name === 'large.bin');
  const secret = await openLink(engines, link);
  const cookie = sessionCookie(downloads, secret, undefined, false).split(';', 1)[0] as string;
  let reads = 0;
  const objects = {
    ...engines.objects,
    async read(...what: Parameters<typeof engines.objects.read>) {
      reads += 1;
      if (reads > 10) throw error;
      return engines.objects.read(...what);
    },
  };
  const path = `${sessionPath(downloads, secret)}files/${file?.id}/large.bin`;
  expect(await readLine({ objects }, path, { cookie })).toMatchObject({
    level,
    fileId: file?.id,
    msg: 'a download was broken off',
  });
});

test.each(faults)('a stream of events that $name breaks off is logged at level $level', async ({ error, level }) => {
  const { apiKey } = await exchange.account();
  let pages = 0;
  const events = {
    ...engines.store.events,
    async page(...what: Parameters<typeof engines.store.events.page>) {
      pages += 1;
      if (pages > 1) throw error;
      return { ...(await engines.store.events.page(...what)), more: true };
    },
  };
  const headers = { authorization: `Bearer ${apiKey}`, accept: 'text/event-stream' };
  expect(await readLine({ store: { ...engines.store, events } }, '/api/v1/events/stream', headers)).toMatchObject({
    level,
    msg: 'a stream of events was broken off',
  });
});
