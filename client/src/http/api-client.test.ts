import { expect, test } from 'vitest';
import { isWaybillError } from '../errors.ts';
import { collect } from '../testing/collect.ts';
import { refuse, succeed, WireServer } from '../testing/wire-server.ts';

test('a request contains the key of the account', async () => {
  await using server = await WireServer.start((_seen, response) => succeed(response, { email: 'alpha@machines.test' }));
  expect(await server.client().account()).toEqual({ email: 'alpha@machines.test' });
  expect(server.requests).toHaveLength(1);
  expect(server.requests[0]).toMatchObject({ path: 'account', headers: { authorization: 'Bearer wb_key' } });
});

test('a request that changes something is retried with the same idempotency key', async () => {
  const troubles = ['lost', 'busy', 'in flight'];
  await using server = await WireServer.start((_seen, response, request) => {
    const trouble = troubles.shift();
    if (trouble === 'lost') request.socket.destroy();
    else if (trouble === 'busy') refuse(response, 503, 'unavailable', { headers: { 'Retry-After': '7' } });
    else if (trouble === 'in flight') refuse(response, 409, 'request_in_flight', { headers: { 'Retry-After': '1' } });
    else succeed(response, { reminded: 2 });
  });
  const { drops } = server.client();
  expect(await drops.remind('one')).toEqual({ reminded: 2 });
  expect(await drops.remind('one')).toEqual({ reminded: 2 });
  const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toHaveLength(5);
  expect(new Set(keys.slice(0, 4)).size).toBe(1);
  expect(keys[4]).not.toBe(keys[0]);
  expect(server.sleeps.map((slept) => Math.floor(slept / 1000))).toEqual([0, 7, 1]);
});

test('an error lists all faults', async () => {
  const errors = [{ pointer: '/receivers/0/email', code: 'recipient_not_allowed', detail: 'No.' }];
  await using server = await WireServer.start((_seen, response) =>
    refuse(response, 422, 'recipient_not_allowed', { errors }),
  );
  const failure = await server
    .client()
    .drops.create({ uploads: [], receivers: [] })
    .catch((error: unknown) => error);
  expect(isWaybillError(failure, 'recipient_not_allowed')).toBe(true);
  expect(failure).toMatchObject({ status: 422, instance: 'urn:waybill:http-request:request-1', faults: errors });
  expect(server.requests).toHaveLength(1);
});

test('all pages of a list are read with the same filter', async () => {
  await using server = await WireServer.start(({ path }, response) => {
    const cursor = new URL(path, server.baseUrl).searchParams.get('cursor');
    if (cursor === null) succeed(response, { data: [{ id: 1 }, { id: 2 }], next_cursor: 'more' });
    else succeed(response, { data: [{ id: 3 }], next_cursor: null });
  });
  const drops = await collect(server.client().drops.list({ state: 'live', receiver_email: 'a&b@x.test' }));
  expect(drops.map(({ id }) => id)).toEqual([1, 2, 3]);
  expect(server.paths()).toEqual([
    'GET drops?limit=100&state=live&receiver_email=a%26b%40x.test',
    'GET drops?limit=100&state=live&receiver_email=a%26b%40x.test&cursor=more',
  ]);
});

test('a removal whose response was lost succeeds', async () => {
  let attempts = 0;
  await using server = await WireServer.start((_seen, response, request) => {
    attempts += 1;
    if (attempts === 1) request.socket.destroy();
    else refuse(response, 404, 'not_found');
  });
  const { keys } = server.client();
  await keys.revoke('k1');
  await expect(keys.revoke('k1')).rejects.toMatchObject({ code: 'not_found' });
});

test('a response without a body is valid', async () => {
  await using server = await WireServer.start((_seen, response) => void response.writeHead(204).end());
  await server.client().inbox.ack({ id: 'e1', lease: 'l1' });
  expect(server.requests[0]).toMatchObject({ path: 'inbox/e1/ack', body: Buffer.from('{"lease":"l1"}') });
});

test('events are followed from cursor to cursor', async () => {
  await using server = await WireServer.start(({ path }, response) => {
    const { searchParams } = new URL(path, server.baseUrl);
    const after = Number(searchParams.get('cursor') ?? 0);
    succeed(response, { data: after % 2 === 0 ? [{ id: `e${after}` }] : [], next_cursor: String(after + 1) });
  });
  const seen: string[] = [];
  for await (const { data, next_cursor: cursor } of server.client().events.follow()) {
    seen.push(`${data[0]?.id} ${cursor}`);
    if (seen.length === 3) break;
  }
  expect(seen).toEqual(['e0 1', 'e2 3', 'e4 5']);
  expect(server.paths()[1]).toBe('GET events?cursor=1&wait=30');
});
