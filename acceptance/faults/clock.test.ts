// A clock that jumps. PostgreSQL's clock decides; here it runs under libfaketime.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { uniqueAddress } from '../lib/accounts.ts';
import { type Client, succeeded } from '../lib/http/client.ts';
import { assertStatus } from '../lib/http/expect.ts';
import { linkTokens, waitForMail } from '../lib/people/mailbox.ts';
import { introduce } from '../lib/scenario.ts';
import { OwnPostgres } from '../lib/servers/own-engines.ts';
import { type OwnExchange, ownExchange } from '../lib/servers/own-exchange.ts';
import { eventually } from '../lib/wait.ts';

const offsetFile = join('/var/tmp', `waybill-clock-${process.pid}`);
let postgres: OwnPostgres;
let exchange: OwnExchange;
let client: Client;

/** Sets PostgreSQL's clock to this many hours from now. */
function turnTo(hours: number): void {
  writeFileSync(offsetFile, `${hours < 0 ? '-' : '+'}${Math.abs(hours)}h\n`);
}

beforeAll(async () => {
  turnTo(0);
  postgres = await OwnPostgres.start({
    environment: {
      LD_PRELOAD: '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
      FAKETIME_TIMESTAMP_FILE: offsetFile,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  });
  exchange = await ownExchange({ databaseServer: postgres.url });
  await exchange.work();
  client = await exchange.client('clock');
});
beforeEach(() => turnTo(0));
afterAll(async () => {
  turnTo(0);
  await exchange[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
  rmSync(offsetFile);
});

const clockHours = async () => {
  const [row] = await exchange.query<{ now: Date }>('select now()');
  return Math.round(((row?.now.getTime() ?? 0) - Date.now()) / 3_600_000) + 0;
};

/** Sends a drop, and returns a function that gets the status of the page that its mailed link leads to. */
async function sendFor(days: number): Promise<() => Promise<number>> {
  const receiver = uniqueAddress('timed');
  await introduce(client, [receiver]);
  succeeded(await client.setReceivers([{ email: receiver }]));
  succeeded(await client.files());
  succeeded(await client.upload({ name: 'a.txt', content: 'a' }));
  assertStatus(await client.createDrop({ desttime: days }), 'ok');
  const token = linkTokens(await waitForMail(receiver), 'd')[0] ?? '';
  return async () => (await client.plain('GET', `/d/${token}`)).status;
}

test('the clock of this PostgreSQL can be turned', async () => {
  expect(await clockHours()).toBe(0);
  turnTo(30);
  expect(await clockHours()).toBe(30);
});

test('a link ends when the clock has jumped over its deadline', async () => {
  const status = await sendFor(1);
  expect(await status()).toBe(200);
  turnTo(23);
  expect(await status()).toBe(200);
  turnTo(25);
  expect(await status()).toBe(410);
});

test('a jump back does not make an expired link work again', async () => {
  const status = await sendFor(1);
  turnTo(25);
  expect(await status()).toBe(410);
  await exchange.sweep();
  turnTo(0);
  expect(await status()).toBe(410);
  turnTo(-48);
  expect(await status()).toBe(410);
});

test('after a jump back, files are sent, mailed and fetched as before', async () => {
  turnTo(-48);
  const status = await sendFor(1);
  expect(await status()).toBe(200);
  turnTo(0);
  expect(await status()).toBe(410);
});

test('a jump forward in the middle of uploads loses none of them, and leaves no partial one', {
  timeout: 120_000,
}, async () => {
  const draft = client.inDraft('jumping');
  const content = Buffer.alloc(9 * 1024 * 1024, 7);
  const uploads = [1, 2, 3].map((number) => draft.upload({ name: `${number}.bin`, content }));
  turnTo(3);
  await exchange.sweep();
  const statuses = (await Promise.all(uploads)).map(({ status }) => status);
  const listed = (await draft.readFiles()).length;
  expect(listed).toBe(statuses.filter((status) => status === 200).length);
  await eventually('an upload is taken', async () => {
    const response = await draft.upload({ name: 'again.bin', content });
    return response.status === 200 || undefined;
  });
});
