import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { requireKind } from '../../../../../tools/test/require-kind.ts';
import { openTestExchange } from '../../../../test/exchange.ts';
import { fillInbox } from '../../../../test/inbox.ts';
import { measureCost } from '../../../../test/measure-cost.ts';
import { requestV1 } from '../../../../test/request-v1.ts';
import { buildTestServer } from '../../../../test/server.ts';
import type { Actor } from '../../../domain/actor.ts';
import type { QueueState } from '../../../domain/inbox/inbox-store.ts';
import type { Store } from '../../../domain/store.ts';

// For a superuser of PostgreSQL, who may switch triggers off.
requireKind('engines');

type Receiver = Actor & { readonly apiKey: string };
/** The requests with which programs poll. */
const requests: [method: 'GET' | 'POST', path: string, body?: object][] = [
  ['POST', '/inbox/claim', { max: 10, lease_seconds: 60 }],
  ['GET', '/inbox?limit=20'],
  ['GET', '/inbox?limit=20&state=parked'],
  ['GET', '/events?limit=20'],
  ['GET', '/events?cursor=end'],
];
const makeClaim = (maxEntries: number) => ({ leaseId: randomUUID(), leaseSeconds: 60, maxEntries, maxAttempts: 10 });

test('a poll costs the same for an account with ten old entries and events as with 20,000 of each', {
  timeout: 300_000,
}, async () => {
  await using exchange = await openTestExchange();
  const { database } = exchange;
  const { query } = database;
  const [sender, small, large] = [await exchange.account(), await exchange.account(), await exchange.account()];
  // Without triggers, and in batches: thousands of rows take their time.
  const client = await database.pool.connect();
  await client.query('set session_replication_role = replica');
  const fill = {
    query: async <Row extends pg.QueryResultRow>(sql: string, values?: unknown[]) =>
      (await client.query<Row>(sql, values)).rows,
  };
  const fillEvents = ({ accountId }: Actor, count: number) =>
    fill.query(
      `insert into events (account_id, epoch, type, data)
       select $1, 0, 'contact.changed', '{"contacts":1}' from generate_series(1, $2::int)`,
      [accountId, count],
    );
  await query(`alter table inbox_entries alter column state set default 'acknowledged'`);
  await fillInbox(fill, sender, small, 10);
  for (let batch = 0; batch < 4; batch++) await fillInbox(fill, sender, large, 5_000);
  await query(`alter table inbox_entries alter column state set default 'queued'`);
  for (const receiver of [small, large]) await fillInbox(fill, sender, receiver, 30);
  await fillEvents(small, 10);
  await fillEvents(large, 20_000);
  client.release(true);
  await query('vacuum analyze inbox_entries, drops, accounts, events');

  const states: (QueueState | undefined)[] = [undefined, 'available', 'claimed', 'parked', 'acknowledged'];
  const calls: [string, (receiver: Receiver, store: Store) => Promise<unknown>][] = [
    ['claim', ({ accountId }, { inbox }) => inbox.claim(accountId, makeClaim(10))],
    ...states.map((state): (typeof calls)[number] => [
      `page ${state}`,
      ({ accountId }, { inbox }) => inbox.page(accountId, { state }, undefined, 6),
    ]),
    ...requests.map(([method, path, body]): (typeof calls)[number] => [
      `${method} ${path}`,
      async ({ apiKey: key }, store) => {
        const app = buildTestServer(exchange, { store });
        const response = await requestV1(app, method, path, { key, ...(body && { body }) });
        expect(response.status).toBe(200);
        if (path.endsWith('=end'))
          await requestV1(app, method, path.replace('end', response.json().next_cursor), { key });
        await app.close();
      },
    ]),
  ];
  for (const [name, call] of calls) {
    const few = await measureCost(database, (store) => call(small, store));
    const many = await measureCost(database, (store) => call(large, store));
    expect(many.rows, `${name}: rows`).toBeLessThanOrEqual(few.rows * 1.2 + 20);
    expect(many.pages, `${name}: pages`).toBeLessThanOrEqual(few.pages * 1.2 + 20);
    // A statement that also reads the rows of other accounts costs the same for all.
    expect(many.rows, `${name}: rows`).toBeLessThan(1_000);
  }
});
