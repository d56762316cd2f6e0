// A Redis that loses its data, and servers that are briefly unavailable: a caller notices nothing.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { Waybill } from '../../client/src/index.ts';
import { demoEnvironment } from '../../tools/demo/environment.ts';
import { type Account, createAccount } from '../lib/accounts.ts';
import { type Fate, httpProxy } from '../lib/http/http-proxy.ts';
import { ownServe } from '../lib/servers/own-serve.ts';
import { demo } from '../lib/servers/running-demo.ts';

const run = promisify(execFile);

function makeClient(account: Account, baseUrl = demo().base_url): Waybill {
  return new Waybill({ baseUrl, ...account });
}

async function messages(client: Waybill): Promise<string[]> {
  const found: string[] = [];
  for await (const { message } of client.drops.list()) found.push(message);
  return found.toSorted();
}

async function inboxNames(client: Waybill): Promise<string[]> {
  const names: string[] = [];
  for await (const { id } of client.inbox.list()) {
    names.push(...(await client.inbox.get(id)).files.map(({ name }) => name));
  }
  return names;
}

test('sends succeed although Redis loses everything in the middle', async () => {
  const account = await createAccount('flushed');
  const receiver = await createAccount('flushed-receiver');
  // In its own Redis database: the test must not lose what others have there.
  const redis = new URL(demoEnvironment()['WAYBILL_REDIS_URL'] ?? '');
  redis.pathname = '/7';
  const serve = await ownServe({ WAYBILL_REDIS_URL: redis.href });
  const client = makeClient(account, serve.baseUrl);
  const wanted = Array.from({ length: 20 }, (_, index) => `send ${String(index).padStart(2, '0')}`);
  await Promise.all(
    wanted.map(async (message) => {
      await client.send({ files: [{ name: 'a.txt', content: message }], to: [receiver.user], message });
      // The others are in the middle of theirs.
      await run('redis-cli', ['-p', redis.port, '-n', '7', 'flushdb']);
    }),
  );
  expect(await messages(client)).toEqual(wanted);
  client.close();
  await serve.stop();
});

test('sends succeed despite 503s, 429s and lost responses', { timeout: 120_000 }, async () => {
  const [account, receiver] = [await createAccount('troubled'), await createAccount('troubled-receiver')];
  const fates: Fate[] = ['refuse', 'pass', 'pass', 'lose', 'pass', 'pass', 'limit', 'pass', 'pass', 'pass'];
  let requests = 0;
  await using way = await httpProxy('waybill', demo().base_url, () => fates[requests++ % fates.length] ?? 'pass');
  const runtime = { random: () => 0.1 }; // the same pauses, but shorter
  const sender = new Waybill({ baseUrl: way.baseUrl, ...account, runtime });
  const puller = new Waybill({ baseUrl: way.baseUrl, ...receiver, runtime });
  const wanted = Array.from({ length: 20 }, (_, index) => `send ${index + 10}`);
  await Promise.all(
    wanted.map((message) =>
      sender.send({ files: [{ name: `${message}.txt`, content: message }], to: [receiver.user], message }),
    ),
  );
  expect(await messages(makeClient(account))).toEqual(wanted);
  const names = await inboxNames(puller);
  expect(names.toSorted()).toEqual(wanted.map((message) => `${message}.txt`));
  expect(way.troubles).toBeGreaterThan(10);
  sender.close();
  puller.close();
});
