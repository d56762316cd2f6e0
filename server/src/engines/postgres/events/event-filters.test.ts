// Filters on an account with many events: what a page costs does not grow with them, also if nothing matches.
import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { createTestDatabase } from '../../../../test/database.ts';
import { measureCost } from '../../../../test/measure-cost.ts';
import type { EventFilter, EventPosition } from '../../../domain/events/event-store.ts';

const count = 60_000;
/** As many events as a page looks at. */
const scanned = 10_000;
vi.setConfig({ testTimeout: 300_000 });

test('a page of a filter looks at a bounded number of events, and says where to go on', async () => {
  await using database = await createTestDatabase();
  const { store } = database;
  const [accountId, dropId, large] = [randomUUID(), randomUUID(), randomUUID()];
  const fill = (type: string, data: string, number: number) =>
    database.query(
      `insert into events (account_id, epoch, type, data)
       select $1, 0, $2, ${data} from generate_series(1, $3::int) as number`,
      [accountId, type, number],
    );
  const small = `jsonb_build_object('drop_id', '${dropId}', 'external_id', 'small')`;
  await fill('drop.created', small, 1);
  await fill('drop.opened', `jsonb_build_object('drop_id', '${large}', 'external_id', 'large')`, count / 2);
  await fill(
    'drop.opened',
    `jsonb_build_object('drop_id', gen_random_uuid(), 'external_id', 'order ' || number)`,
    count / 2,
  );
  await fill('drop.completed', small, 1);
  await database.query('vacuum analyze events');
  await expect
    .poll(async () => (await store.events.page(accountId, undefined, 1)).events.length, { timeout: 100_000 })
    .toBe(1);

  const readAll = async (filter: EventFilter) => {
    const found: string[] = [];
    let [pages, after]: [number, EventPosition | undefined] = [0, undefined];
    for (let more = true; more; pages += 1) {
      const page = await store.events.page(accountId, after, 100, filter);
      found.push(...page.events.map(({ type }) => type));
      ({ more, next: after } = page);
    }
    return { found, pages };
  };
  const both = ['drop.created', 'drop.completed'];
  // By an index, at once.
  expect(await readAll({ dropId })).toEqual({ found: both, pages: 1 });
  expect(await readAll({ externalId: 'small' })).toEqual({ found: both, pages: 1 });
  expect(await readAll({ dropId: randomUUID() })).toEqual({ found: [], pages: 1 });
  expect(await readAll({ requestId: dropId })).toEqual({ found: [], pages: 1 });
  // Among all events, or all of one drop, in steps.
  expect(await readAll({ types: both })).toEqual({ found: both, pages: Math.ceil(count / scanned) + 1 });
  expect(await readAll({ types: ['drop.revoked'] })).toEqual({ found: [], pages: Math.ceil(count / scanned) + 1 });
  expect(await readAll({ dropId: large, types: both })).toEqual({ found: [], pages: count / 2 / scanned + 1 });

  const measure = (filter: EventFilter) =>
    measureCost(database, (tx) => tx.events.page(accountId, undefined, 100, filter));
  for (const filter of [{ dropId }, { externalId: 'small' }, { dropId: randomUUID() }, { externalId: 'none' }]) {
    expect((await measure(filter)).rows, JSON.stringify(filter)).toBeLessThan(50);
  }
  for (const filter of [{ types: both }, { dropId: large, types: both }, { externalId: 'large', types: both }]) {
    const { rows } = await measure(filter);
    // Each row passes through a few steps of the plan, twice: to be compared, and to find where the page ends.
    expect(rows, JSON.stringify(filter)).toBeLessThan(6 * scanned);
  }
});
