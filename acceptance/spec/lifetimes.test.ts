// docs/api.md#csrf-token and docs/api.md#8-create-a-dispatch: expiry. The process here counts in seconds, so that a
// test can wait for it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount, freshClient } from '../lib/accounts.ts';
import { Client } from '../lib/http/client.ts';
import { assertErrorResponse } from '../lib/http/expect.ts';
import { deliver } from '../lib/scenario.ts';
import { adminJson } from '../lib/servers/admin.ts';
import { type OwnServe, ownServe } from '../lib/servers/own-serve.ts';
import { eventually } from '../lib/wait.ts';

const tokenLifetimeMs = 2_000;
let serve: OwnServe;

beforeAll(async () => {
  serve = await ownServe({
    WAYBILL_CSRF_LIFETIME_SECONDS: String(tokenLifetimeMs / 1000),
    WAYBILL_LIFETIME_UNIT: 'seconds',
  });
});

afterAll(async () => {
  await serve?.stop();
});

/** A client that gets a new token whenever it needs one, because tokens expire while a test is busy elsewhere. */
class TokenlessClient extends Client {
  override token(): Promise<string> {
    return this.mintToken();
  }
}

async function createTokenlessClient(label: string): Promise<Client> {
  return new TokenlessClient(await createAccount(label), { baseUrl: serve.baseUrl });
}

test('a token in use outlives its lifetime, an idle one ends with it and stays ended', async () => {
  const client = await freshClient('lifetime', { baseUrl: serve.baseUrl });
  const inUse = await client.mintToken();
  const idle = await client.mintToken();
  const until = Date.now() + 2.5 * tokenLifetimeMs;
  while (Date.now() < until) {
    const response = await client.contacts({ 'CSRF-Token': inUse });
    expect(response.status).toBe(200);
  }
  assertErrorResponse(await client.contacts({ 'CSRF-Token': idle }), 403, 'csrf_rejected');
  const fresh = await client.mintToken();
  assertErrorResponse(await client.contacts({ 'CSRF-Token': idle }), 403, 'csrf_rejected');
  expect((await client.contacts({ 'CSRF-Token': fresh })).status).toBe(200);
});

test('with the default setting a token is still live when the short lifetime has long passed', async () => {
  const client = await freshClient('default-lifetime');
  const token = await client.mintToken();
  // The condition is the expiry of a token of the process with the short lifetime.
  const short = await freshClient('short-lifetime', { baseUrl: serve.baseUrl });
  const ends = Date.now() + 1.5 * tokenLifetimeMs;
  const idle = await short.mintToken();
  await eventually('the clock passes the short lifetime', async () => (Date.now() > ends ? true : undefined));
  assertErrorResponse(await short.contacts({ 'CSRF-Token': idle }), 403, 'csrf_rejected');
  expect((await client.contacts({ 'CSRF-Token': token })).status).toBe(200);
});

test('a drop can be downloaded until its desttime is over, and is remembered in the history', async () => {
  const [sender, receiver] = await Promise.all([createTokenlessClient('sender'), createTokenlessClient('receiver')]);
  const entry = await deliver(sender, receiver, [{ name: 'brief.txt', content: 'soon gone' }], { desttime: 5 });
  expect((await sender.readHistory()).live_drops).toBe('1');
  expect((await receiver.download(entry.url, 'brief.txt')).status).toBe(200);

  const gone = await eventually('the download ends', async () => {
    const response = await receiver.download(entry.url, 'brief.txt');
    return response.status === 200 ? undefined : response;
  });
  assertErrorResponse(gone, 404, 'not_found');
  const after = await sender.readHistory();
  expect(after.live_drops).toBe('0');
  expect(after.history.map(({ files }) => files.map(({ name }) => name))).toEqual([['brief.txt']]);
  expect((await receiver.readHistory()).inbox).toEqual([]);
});

test('sweeping takes nothing but what has ended', async () => {
  const [sender, receiver] = await Promise.all([createTokenlessClient('sender'), createTokenlessClient('receiver')]);
  const ending = await deliver(sender, receiver, [{ name: 'ending.txt', content: 'ends' }], { desttime: 4 });
  const staying = await deliver(sender, receiver, [{ name: 'staying.txt', content: 'stays' }], { desttime: 30 });
  await eventually('the first drop ends', async () =>
    (await receiver.download(ending.url, 'ending.txt')).status === 404 ? true : undefined,
  );
  await adminJson(['sweep', '--json']);
  assertErrorResponse(await receiver.download(ending.url, 'ending.txt'), 404, 'not_found');
  const response = await receiver.download(staying.url, 'staying.txt');
  expect(response.body.toString()).toBe('stays');
});
