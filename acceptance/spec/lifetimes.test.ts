// docs/api.md#csrf-token and docs/api.md#8-create-a-dispatch: expiry. Tokens of the process here live for seconds, so that
// a test can wait for their end. A drop is brought to its end in the database, so that a test may take as long as it likes.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import type { Client } from '../lib/http/client.ts';
import { assertErrorResponse } from '../lib/http/expect.ts';
import { deliver } from '../lib/scenario.ts';
import { query, sweep } from '../lib/servers/exchange-internals.ts';
import { type OwnServe, ownServe } from '../lib/servers/own-serve.ts';
import { eventually } from '../lib/wait.ts';

const tokenLifetimeMs = 2_000;
let serve: OwnServe;

beforeAll(async () => {
  serve = await ownServe({
    WAYBILL_CSRF_LIFETIME_SECONDS: String(tokenLifetimeMs / 1000),
  });
});

afterAll(async () => {
  await serve?.stop();
});

const millisecondsSince = (begin: number) => performance.now() - begin;

/** Resolves when a token that was not used since `mintedAt` has ended, on a machine of any speed. */
const untilEnded = (mintedAt: number) =>
  eventually('the lifetime passes', async () =>
    millisecondsSince(mintedAt) > 1.5 * tokenLifetimeMs ? true : undefined,
  );

/** Uses a token for longer than its lifetime. False if the machine was too slow to use it in time, which shows nothing. */
async function keepInUse(client: Client, token: string, mintedAt: number): Promise<boolean> {
  const begin = performance.now();
  for (let usedAt = mintedAt; millisecondsSince(begin) < 2.5 * tokenLifetimeMs; ) {
    const askedAt = performance.now();
    const { status } = await client.contacts({ 'CSRF-Token': token });
    // The server has judged it at some time before now.
    if (status === 403 && millisecondsSince(usedAt) >= tokenLifetimeMs) return false;
    expect(status).toBe(200);
    usedAt = askedAt;
  }
  return true;
}

test('a token in use outlives its lifetime, an idle one ends with it and stays ended', async () => {
  const client = await freshClient('lifetime', { baseUrl: serve.baseUrl });
  const idle = await eventually('an attempt without a pause of the machine', async () => {
    const unused = await client.mintToken();
    const mintedAt = performance.now();
    return (await keepInUse(client, await client.mintToken(), mintedAt)) ? unused : undefined;
  });
  assertErrorResponse(await client.contacts({ 'CSRF-Token': idle }), 403, 'csrf_rejected');
  await client.mintToken();
  assertErrorResponse(await client.contacts({ 'CSRF-Token': idle }), 403, 'csrf_rejected');
});

test('with the default setting a token is still live when the short lifetime has long passed', async () => {
  const client = await freshClient('default-lifetime');
  const token = await client.mintToken();
  const short = await freshClient('short-lifetime', { baseUrl: serve.baseUrl });
  const idle = await short.mintToken();
  await untilEnded(performance.now());
  assertErrorResponse(await short.contacts({ 'CSRF-Token': idle }), 403, 'csrf_rejected');
  expect((await client.contacts({ 'CSRF-Token': token })).status).toBe(200);
});

/** Lets the lifetime of a drop that this sender has sent be over. Returns how many days it would have been. */
async function endDrop(sender: Client, fileName: string): Promise<number | undefined> {
  const [row] = await query<{ days: number }>(
    `with sent as (
       select drops.account_id, drops.id, round(extract(epoch from expires_at - drops.created_at) / 86400)::int4 as days
       from drops join accounts on accounts.id = drops.account_id
       join files on files.account_id = drops.account_id and files.drop_id = drops.id
       where email = $1 and files.name = $2)
     update drops set expires_at = now() from sent
     where drops.account_id = sent.account_id and drops.id = sent.id returning days`,
    [sender.user, fileName],
  );
  return row?.days;
}

test('a drop can be downloaded until its desttime is over, and is remembered in the history', async () => {
  const [sender, receiver] = await Promise.all([freshClient('sender'), freshClient('receiver')]);
  const entry = await deliver(sender, receiver, [{ name: 'brief.txt', content: 'soon gone' }], { desttime: 5 });
  expect((await sender.readHistory()).live_drops).toBe('1');
  expect((await receiver.download(entry.url, 'brief.txt')).status).toBe(200);

  expect(await endDrop(sender, 'brief.txt')).toBe(5);
  assertErrorResponse(await receiver.download(entry.url, 'brief.txt'), 404, 'not_found');
  const after = await sender.readHistory();
  expect(after.live_drops).toBe('0');
  expect(after.history.map(({ files }) => files.map(({ name }) => name))).toEqual([['brief.txt']]);
  expect((await receiver.readHistory()).inbox).toEqual([]);
});

test('sweeping takes nothing but what has ended', async () => {
  const [sender, receiver] = await Promise.all([freshClient('sender'), freshClient('receiver')]);
  const ending = await deliver(sender, receiver, [{ name: 'ending.txt', content: 'ends' }]);
  const staying = await deliver(sender, receiver, [{ name: 'staying.txt', content: 'stays' }]);
  await endDrop(sender, 'ending.txt');
  await sweep();
  assertErrorResponse(await receiver.download(ending.url, 'ending.txt'), 404, 'not_found');
  const response = await receiver.download(staying.url, 'staying.txt');
  expect(response.body.toString()).toBe('stays');
});
