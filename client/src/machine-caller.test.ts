import { expect, test } from 'vitest';
import { collected } from './testing/collected.ts';
import { fail, succeed, WireServer } from './testing/wire-server.ts';

const listed: Parameters<typeof WireServer.start>[0] = (_seen, response) =>
  succeed(response, { history: [], live_drops: '0', inbox: [] });

test('a token is fetched when it is first needed, and once for all calls', async () => {
  await using server = await WireServer.start(listed);
  const client = server.client();
  expect(server.seen).toEqual([]);
  await Promise.all(Array.from({ length: 20 }, () => collected(client.machineInbox())));
  expect(server.minted).toBe(1);
  expect(new Set(server.seen.slice(1).map(({ headers }) => headers['csrf-token']))).toEqual(new Set(['token-1']));
});

test('calls whose token is refused share one renewal', async () => {
  await using server = await WireServer.start(listed);
  const client = server.client();
  await collected(client.machineInbox());
  server.tokens.clear();
  await Promise.all(Array.from({ length: 20 }, () => collected(client.machineInbox())));
  expect(server.minted).toBe(2);
  expect(server.sleeps).toEqual([]);
});

test('a token that others take away again and again is renewed with pauses', async () => {
  await using server = await WireServer.start(listed);
  server.beforeBody((request) => {
    if (request.url?.endsWith('.cgi') && server.minted < 10) server.tokens.clear();
    return false;
  });
  await collected(server.client().machineInbox());
  expect(server.minted).toBe(10);
  expect(server.sleeps).toHaveLength(8);
});

test('one caller who gives up does not take the token from the others', async () => {
  await using server = await WireServer.start(listed);
  const client = server.client();
  const gaveUp = new AbortController();
  const first = collected(client.machineInbox({ signal: gaveUp.signal }));
  const second = collected(client.machineInbox());
  gaveUp.abort(new Error('changed my mind'));
  await expect(first).rejects.toThrow('changed my mind');
  expect(await second).toEqual([]);
  expect(server.minted).toBe(1);
});

test('a token that cannot be had is asked for as often as anything else', async () => {
  await using server = await WireServer.start(listed);
  let refusals = 0;
  server.beforeBody((_request, response) => {
    refusals += 1;
    fail(response, 503, 'unavailable');
    return true;
  });
  await expect(collected(server.client({ patience: { attempts: 5 } }).machineInbox())).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect(refusals).toBe(5);
  expect(server.sleeps).toHaveLength(4);
});

test('a page without a token is told apart', async () => {
  await using server = await WireServer.start();
  server.beforeBody((_request, response) => response.end('<p>Welcome</p>') !== undefined);
  await expect(collected(server.client().machineInbox())).rejects.toThrow('csrftoken');
});
