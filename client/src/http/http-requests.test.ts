import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { isWaybillError } from '../errors.ts';
import { refuse, succeed, WireServer } from '../testing/wire-server.ts';
import { Waybill } from '../waybill.ts';

const account = { email: 'alpha@machines.test' };
const respondWithAccount: Parameters<typeof WireServer.start>[0] = (_seen, response) => succeed(response, account);

test('a request is retried after the wait that the server asks for', async () => {
  const failures = ['503', '429', '408', '502'];
  await using server = await WireServer.start((seen, response, request) => {
    const status = failures.shift();
    if (status === '503') refuse(response, 503, 'unavailable', { headers: { 'Retry-After': '7' } });
    else if (status === '429') refuse(response, 429, 'too_many_requests', { headers: { 'Retry-After': '3' } });
    else if (status === '408') refuse(response, 408, 'request_timeout');
    else if (status === '502') response.writeHead(502).end('<h1>Bad gateway</h1>');
    else return respondWithAccount(seen, response, request);
  });
  expect(await server.client().account()).toEqual(account);
  // Half of a bound that doubles from 200 ms, added to the requested wait.
  expect(server.sleeps).toEqual([7100, 3200, 400, 800]);
});

test('a request is retried if its connection breaks before or during the response', async () => {
  let times = 0;
  await using server = await WireServer.start((seen, response, request) => {
    times += 1;
    if (times === 1) request.socket.destroy();
    else if (times === 2) {
      response.writeHead(200, { 'Content-Length': '1000' });
      response.write('{"email":', () => request.socket.destroy());
    } else return respondWithAccount(seen, response, request);
  });
  expect(await server.client().account()).toEqual(account);
  expect(times).toBe(3);
});

test('throws the last failure after the maximum number of attempts', async () => {
  await using server = await WireServer.start((_seen, response) => refuse(response, 503, 'unavailable'));
  const error = await server
    .client({ retry: { maxAttempts: 3 } })
    .account()
    .catch((caught: unknown) => caught);
  expect(error).toMatchObject({
    code: 'unavailable',
    status: 503,
    instance: 'urn:waybill:http-request:request-1',
    message: 'This is unavailable.',
  });
  expect(server.sleeps).toHaveLength(2);
});

test('a request is not retried if the server asks for too long a wait', async () => {
  await using server = await WireServer.start((_seen, response) =>
    refuse(response, 503, 'unavailable', { headers: { 'Retry-After': '86400' } }),
  );
  await expect(server.client().account()).rejects.toMatchObject({ retryAfterSeconds: 86400 });
  expect(server.sleeps).toEqual([]);
});

test.each([
  [400, 'invalid_input'],
  [401, 'unauthorized'],
  [404, 'not_found'],
  [409, 'not_parked'],
  [500, 'internal'],
])('a %i %s is reported at once', async (status, code) => {
  await using server = await WireServer.start((_seen, response) => refuse(response, status, code));
  await expect(server.client().account()).rejects.toMatchObject({ code, status });
  expect(server.requests).toHaveLength(1);
});

test('responses of other servers are recognised', async () => {
  await using redirecting = await WireServer.start((_seen, response) => {
    response.writeHead(302, { Location: 'https://elsewhere.example/' }).end();
  });
  await expect(redirecting.client().account()).rejects.toMatchObject({ code: 'unexpected_response' });
  await using newer = await WireServer.start((_seen, response) => refuse(response, 418, 'teapot'));
  await expect(newer.client().account()).rejects.toMatchObject({ code: 'unexpected_response', status: 418 });
});

test('an abort ends a request in progress, and throws the given reason', async () => {
  await using server = await WireServer.start(() => undefined);
  const controller = new AbortController();
  const listing = server.client().account({ signal: controller.signal });
  while (server.requests.length < 1) await turn();
  controller.abort(new Error('enough'));
  await expect(listing).rejects.toThrow('enough');
});

test('a server that does not complete a connection is abandoned after 15 seconds', async () => {
  // It accepts a connection, and never begins TLS.
  const mute = createServer().listen(0, '127.0.0.1');
  await once(mute, 'listening');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const connected = once(mute, 'connection');
  const { port } = mute.address() as AddressInfo;
  const options = { baseUrl: `https://127.0.0.1:${port}`, user: 'alpha@machines.test', apiKey: 'wb_key' };
  const calling = new Waybill({ ...options, retry: { maxAttempts: 1 } }).account().catch((caught: unknown) => caught);
  const [socket] = (await connected) as [{ destroy(): void }];
  vi.advanceTimersByTime(14_999);
  await turn();
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1);
  vi.useRealTimers();
  expect(await calling).toMatchObject({
    code: 'unreachable',
    message: `127.0.0.1:${port} cannot be reached: no connection within 15 seconds.`,
  });
  socket.destroy();
  mute.close();
});

test('a server that is connected may take longer to respond', async () => {
  const server = await WireServer.start(() => undefined);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const calling = server.client({ retry: { maxAttempts: 1 } }).account();
  while (server.requests.length < 1) await turn();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  await Promise.all([expect(calling).rejects.toMatchObject({ code: 'unreachable' }), server[Symbol.asyncDispose]()]);
});

test('a key is not sent unencrypted to another machine', () => {
  const access = { user: 'a@example.org', apiKey: 'k' };
  expect(() => new Waybill({ baseUrl: 'http://files.example.org', ...access })).toThrow('unencrypted');
  expect(() => new Waybill({ baseUrl: 'files.example.org', ...access })).toThrow('https://');
  for (const baseUrl of ['https://files.example.org', 'http://localhost:1', 'http://127.0.0.1:1', 'http://[::1]:1']) {
    new Waybill({ baseUrl, ...access }).close();
  }
  new Waybill({ baseUrl: 'http://files.example.org', ...access, plainHttp: true }).close();
});

test('isWaybillError recognises an error by its code', async () => {
  await using server = await WireServer.start((_seen, response) => refuse(response, 404, 'not_found'));
  const error = await server
    .client()
    .account()
    .catch((caught: unknown) => caught);
  expect(isWaybillError(error)).toBe(true);
  expect(isWaybillError(error, 'not_found', 'damaged')).toBe(true);
  expect(isWaybillError(error, 'damaged')).toBe(false);
  expect(isWaybillError(new Error('not_found'))).toBe(false);
});
