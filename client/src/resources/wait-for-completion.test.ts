import { expect, test } from 'vitest';
import { fastRuntime } from '../testing/fast-runtime.ts';
import { refuse, succeed, WireServer } from '../testing/wire-server.ts';

const event = (type: string) => ({ type, data: { drop_id: 'd1' } });
const details = (state: string, ...states: string[]) => ({
  id: 'd1',
  state,
  receivers: states.map((each, id) => ({ id, state: each })),
});

/** A server whose drop is read in these states in turn, and whose events come in these pages. */
async function startServer(drops: object[], pages: object[][]): Promise<WireServer> {
  return await WireServer.start(({ path }, response) => {
    if (path.includes('cursor=end')) return succeed(response, { data: [], next_cursor: 'c0' });
    if (path.startsWith('events')) {
      const data = pages.shift();
      // Without a page, the server lets the client wait.
      return data && succeed(response, { data, next_cursor: `c${pages.length}` });
    }
    succeed(response, drops.length > 1 ? drops.shift() : drops[0]);
  });
}

const countDrops = (server: WireServer) => server.paths().filter((path) => path === 'GET drops/d1').length;

test('the wait ends when every receiver is done, and reads the drop only after events that can end it', async () => {
  await using server = await startServer(
    [details('live', 'opened', 'revoked'), details('live', 'opened'), details('live', 'completed', 'revoked')],
    [[event('drop.receiver_revoked')], [], [event('drop.completed')]],
  );
  expect(await server.client().drops.waitForCompletion('d1')).toMatchObject({ completed: true, drop: { id: 'd1' } });
  expect(countDrops(server)).toBe(3);
  expect(server.paths()[0]).toBe('GET events?cursor=end&limit=1');
  const filter = 'type=drop.completed&type=drop.expired&type=drop.receiver_revoked&type=drop.revoked&drop_id=d1';
  expect(server.paths()[2]).toBe(`GET events?${filter}&cursor=c0&wait=30`);
});

test.each(['revoked', 'expired'])('the wait ends when the drop is %s', async (state) => {
  await using server = await startServer(
    [details('live', 'opened'), details(state, 'revoked')],
    [[event(`drop.${state}`)]],
  );
  expect(await server.client().drops.waitForCompletion('d1')).toMatchObject({ completed: false, drop: { state } });
});

test('the wait ends when the time runs out, and asks the server for no longer', async () => {
  await using server = await startServer([details('live', 'opened')], []);
  const waits: number[] = [];
  server.beforeBody((request, response) => {
    const wait = new URL(String(request.url), 'http://localhost').searchParams.get('wait');
    if (wait === null) return false;
    waits.push(Number(wait));
    // Later than the 20 seconds of the client's clock.
    setTimeout(() => succeed(response, { data: [], next_cursor: 'c1' }), 1_050);
    return true;
  });
  const { drops } = server.client({ runtime: fastRuntime() });
  expect(await drops.waitForCompletion('d1', { timeoutSeconds: 20 })).toMatchObject({ completed: false });
  expect(countDrops(server)).toBe(1);
  for (const wait of waits) expect(wait).toBeLessThanOrEqual(20);
  expect(waits.length).toBeLessThanOrEqual(1);
});

test('the wait survives a server that is away and a cursor that has expired, and ends with its signal', async () => {
  await using server = await startServer([details('live', 'opened'), details('live', 'opened')], []);
  let requests = 0;
  const stop = new AbortController();
  server.beforeBody((request, response) => {
    if (!String(request.url).includes('wait=')) return false;
    requests += 1;
    if (requests <= 4) refuse(response, 503, 'unavailable');
    else if (requests === 5) refuse(response, 410, 'cursor_expired');
    else stop.abort(new Error('enough'));
    return true;
  });
  const { drops } = server.client({ retry: { maxAttempts: 2 } });
  await expect(drops.waitForCompletion('d1', { signal: stop.signal })).rejects.toThrow('enough');
  expect(requests).toBe(6);
  expect(countDrops(server)).toBe(2);
});

test('with a key that may not read events, the drop is read until it is completed', async () => {
  let reads = 0;
  await using server = await WireServer.start(({ path }, response) => {
    if (path.startsWith('events')) return refuse(response, 403, 'scope_missing');
    reads += 1;
    succeed(response, details('live', reads < 5 ? 'opened' : 'completed'));
  });
  const runtime = fastRuntime();
  const begin = runtime.now();
  const { drops } = server.client({ runtime });
  expect(await drops.waitForCompletion('d1')).toMatchObject({ completed: true });
  expect(server.paths().filter((path) => path.startsWith('GET events'))).toHaveLength(1);
  expect(runtime.now() - begin).toBeGreaterThanOrEqual(2_000 * (1 + 1.5 + 1.5 ** 2 + 1.5 ** 3));
  reads = 0;
  expect(await drops.waitForCompletion('d1', { timeoutSeconds: 4 })).toMatchObject({ completed: false });
});

test('a key that may read neither events nor the drop is refused', async () => {
  await using server = await WireServer.start((_seen, response) => refuse(response, 403, 'scope_missing'));
  await expect(server.client().drops.waitForCompletion('d1')).rejects.toMatchObject({ code: 'scope_missing' });
});
