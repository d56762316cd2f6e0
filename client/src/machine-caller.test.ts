import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isWaybillError } from './errors.ts';
import { fail, succeed, WireServer } from './testing/wire-server.ts';
import { Waybill } from './waybill.ts';

const contacts = { local: [], global: [] };
const listed: Parameters<typeof WireServer.start>[0] = (_seen, response) =>
  succeed(response, contacts, { ETag: '"1"' });

test('a token is fetched when it is first needed, and once for all calls', async () => {
  await using server = await WireServer.start(listed);
  const client = server.client();
  expect(server.seen).toEqual([]);
  await Promise.all(Array.from({ length: 20 }, () => client.contacts.list()));
  expect(server.minted).toBe(1);
  expect(new Set(server.seen.slice(1).map(({ headers }) => headers['csrf-token']))).toEqual(new Set(['token-1']));
});

test('calls whose token is refused share one renewal', async () => {
  await using server = await WireServer.start(listed);
  const client = server.client();
  await client.contacts.list();
  server.tokens.clear();
  await Promise.all(Array.from({ length: 20 }, () => client.contacts.list()));
  expect(server.minted).toBe(2);
  expect(server.sleeps).toEqual([]);
});

test('a token that others take away again and again is renewed with pauses', async () => {
  await using server = await WireServer.start(listed);
  server.beforeBody((request) => {
    if (request.url?.endsWith('.cgi') && server.minted < 10) server.tokens.clear();
    return false;
  });
  await server.client().contacts.list();
  expect(server.minted).toBe(10);
  expect(server.sleeps).toHaveLength(8);
});

test('one caller who gives up does not take the token from the others', async () => {
  await using server = await WireServer.start(listed);
  const client = server.client();
  const gaveUp = new AbortController();
  const first = client.contacts.list({ signal: gaveUp.signal });
  const second = client.contacts.list();
  gaveUp.abort(new Error('changed my mind'));
  await expect(first).rejects.toThrow('changed my mind');
  expect(await second).toEqual(contacts);
  expect(server.minted).toBe(1);
});

test('what is unavailable for a moment is asked for again, after as long as the server says', async () => {
  const failures = ['503', '429', '408', '502'];
  await using server = await WireServer.start((seen, response, request) => {
    const status = failures.shift();
    if (status === '503') fail(response, 503, 'unavailable', { 'Retry-After': '7' });
    else if (status === '429') fail(response, 429, 'too_many_requests', { 'Retry-After': '3' });
    else if (status === '408') fail(response, 408, 'request_timeout');
    else if (status === '502') response.writeHead(502).end('<h1>Bad gateway</h1>');
    else return listed(seen, response, request);
  });
  expect(await server.client().contacts.list()).toEqual(contacts);
  // Half of a bound that doubles from 200 ms, on top of what was asked for.
  expect(server.sleeps).toEqual([7100, 3200, 400, 800]);
});

test('a connection that breaks before or within the answer is made again', async () => {
  let times = 0;
  await using server = await WireServer.start((seen, response, request) => {
    times += 1;
    if (times === 1) request.socket.destroy();
    else if (times === 2) {
      response.writeHead(200, { ETag: '"1"', 'Content-Length': '1000' });
      response.write('{"local":[', () => request.socket.destroy());
    } else return listed(seen, response, request);
  });
  expect(await server.client().contacts.list()).toEqual(contacts);
  expect(times).toBe(3);
});

test('patience ends, and the last failure is the one that is thrown', async () => {
  await using server = await WireServer.start((_seen, response) => fail(response, 503, 'unavailable'));
  const error = await server
    .client({ patience: { attempts: 3 } })
    .contacts.list()
    .catch((caught: unknown) => caught);
  expect(error).toMatchObject({
    code: 'unavailable',
    status: 503,
    requestId: 'request-1',
    message: 'This is unavailable.',
  });
  expect(server.sleeps).toHaveLength(2);
});

test('a token that cannot be had is asked for as often as anything else', async () => {
  await using server = await WireServer.start(listed);
  let refusals = 0;
  server.beforeBody((_request, response) => {
    refusals += 1;
    fail(response, 503, 'unavailable');
    return true;
  });
  await expect(server.client({ patience: { attempts: 5 } }).contacts.list()).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect(refusals).toBe(5);
  expect(server.sleeps).toHaveLength(4);
});

test('a server that asks for a longer wait than one has is not waited for', async () => {
  await using server = await WireServer.start((_seen, response) =>
    fail(response, 503, 'unavailable', { 'Retry-After': '86400' }),
  );
  await expect(server.client().contacts.list()).rejects.toMatchObject({ retryAfterSeconds: 86400 });
  expect(server.sleeps).toEqual([]);
});

test.each([
  [400, 'invalid_input'],
  [401, 'unauthorized'],
  [404, 'not_found'],
  [409, 'no_receivers'],
  [500, 'internal'],
])('a %i %s is told at once', async (status, code) => {
  await using server = await WireServer.start((_seen, response) => fail(response, status, code));
  await expect(server.client().contacts.list()).rejects.toMatchObject({ code, status });
  expect(server.seen).toHaveLength(2);
});

test('what no Waybill server says is told apart', async () => {
  await using redirecting = await WireServer.start((_seen, response) => {
    response.writeHead(302, { Location: 'https://elsewhere.example/' }).end();
  });
  await expect(redirecting.client().contacts.list()).rejects.toMatchObject({ code: 'unexpected_answer' });
  await using newer = await WireServer.start((_seen, response) => fail(response, 418, 'teapot'));
  await expect(newer.client().contacts.list()).rejects.toMatchObject({ code: 'unexpected_answer', status: 418 });
  await using tokenless = await WireServer.start();
  tokenless.beforeBody((_request, response) => response.end('<p>Welcome</p>') !== undefined);
  await expect(tokenless.client().contacts.list()).rejects.toThrow('csrftoken');
});

test('an abort ends a request that is under way, with the reason given', async () => {
  await using server = await WireServer.start(() => undefined);
  const controller = new AbortController();
  const listing = server.client().contacts.list({ signal: controller.signal });
  while (server.seen.length < 2) await turn();
  controller.abort(new Error('enough'));
  await expect(listing).rejects.toThrow('enough');
});

test('a key is not sent in the clear to another machine', () => {
  const account = { user: 'a@example.org', apiKey: 'k' };
  expect(() => new Waybill({ baseUrl: 'http://files.example.org', ...account })).toThrow('unencrypted');
  expect(() => new Waybill({ baseUrl: 'files.example.org', ...account })).toThrow('https://');
  for (const baseUrl of ['https://files.example.org', 'http://localhost:1', 'http://127.0.0.1:1', 'http://[::1]:1']) {
    new Waybill({ baseUrl, ...account }).close();
  }
  new Waybill({ baseUrl: 'http://files.example.org', ...account, plainHttp: true }).close();
});

test('an error is known by its code', async () => {
  await using server = await WireServer.start((_seen, response) => fail(response, 404, 'not_found'));
  const error = await server
    .client()
    .contacts.list()
    .catch((caught: unknown) => caught);
  expect(isWaybillError(error)).toBe(true);
  expect(isWaybillError(error, 'not_found', 'damaged')).toBe(true);
  expect(isWaybillError(error, 'damaged')).toBe(false);
  expect(isWaybillError(new Error('not_found'))).toBe(false);
});
