// Ten pullers share an inbox and crash at random.
import { expect, test } from 'vitest';
import { testPolicy, useTestExchange } from '../../../../test/exchange.ts';
import { advanceQueue, fillInbox } from '../../../../test/inbox.ts';
import { deterministicRandom } from '../../../../test/random.ts';
import { requestV1 } from '../../../../test/request-v1.ts';
import { buildTestServer } from '../../../../test/server.ts';

const entryCount = 1_000;
const pullerCount = 10;
const leaseSeconds = 60;

interface Entry {
  readonly id: string;
  readonly lease: string;
  readonly attempts: number;
}

const exchange = await useTestExchange();

test('pullers that crash lose no entry, and acknowledge each exactly once', { timeout: 300_000 }, async () => {
  const { database } = exchange;
  const receiver = await exchange.account();
  await fillInbox(database, await exchange.account(), receiver, entryCount);
  const policy = { ...testPolicy, inboxAttempts: 1_000 };
  const servers = [buildTestServer(exchange, { policy }), buildTestServer(exchange, { policy })];
  const attempts = new Map<string, number[]>();
  const acknowledged = new Map<string, number>();
  const happened = { crashes: 0, lost: 0, givenBack: 0, repeated: 0 };

  const pull = async (index: number) => {
    const random = deterministicRandom(`puller ${index}`);
    const below = (bound: number) => random.bytes(4).readUInt32BE() % bound;
    const post = (path: string, body: object) =>
      requestV1(servers[index % 2] as (typeof servers)[0], 'POST', path, { key: receiver.apiKey, body });
    while (acknowledged.size < entryCount) {
      const claimed: Entry[] = (await post('/inbox/claim', { max: 1 + below(20), lease_seconds: leaseSeconds })).json()
        .data;
      for (const { id, attempts: attempt } of claimed) attempts.set(id, [...(attempts.get(id) ?? []), attempt]);
      // Entries that crashed pullers held, or that are delayed, become available only with time.
      if (claimed.length === 0) await advanceQueue(database, receiver, leaseSeconds + 1);
      for (const { id, lease } of claimed) {
        const fate = below(100);
        if (fate < 3) {
          happened.crashes++;
          await advanceQueue(database, receiver, leaseSeconds / 2);
          break;
        }
        if (fate < 10) {
          const { status } = await post(`/inbox/${id}/nack`, { lease, delay_seconds: below(100) });
          expect([200, 409]).toContain(status);
          happened.givenBack++;
          continue;
        }
        const { status } = await post(`/inbox/${id}/ack`, { lease });
        expect([204, 409]).toContain(status);
        if (status === 204) acknowledged.set(id, (acknowledged.get(id) ?? 0) + 1);
        else happened.lost++;
        if (status === 204 && fate < 20) {
          happened.repeated++;
          expect((await post(`/inbox/${id}/ack`, { lease })).status).toBe(204);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: pullerCount }, (_, index) => pull(index)));
  await Promise.all(servers.map((server) => server.close()));

  expect([...acknowledged.values()].filter((count) => count !== 1)).toEqual([]);
  expect(acknowledged.size).toBe(entryCount);
  for (const numbers of attempts.values()) {
    expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, index) => index + 1));
  }
  const rows = await database.query<{ state: string; id: string; attempts: number }>(
    'select id, state, attempts from inbox_entries where account_id = $1',
    [receiver.accountId],
  );
  expect(
    rows.filter(({ state, id, attempts: counted }) => {
      return state !== 'acknowledged' || attempts.get(id)?.length !== counted;
    }),
  ).toEqual([]);
  // Makes sure that enough pullers crashed.
  for (const count of Object.values(happened)) expect(count).toBeGreaterThan(10);
});
