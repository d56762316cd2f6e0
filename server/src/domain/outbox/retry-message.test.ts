import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import type { Actor } from '../actor.ts';
import { retryAllMessages } from './retry-message.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;
// It affects all accounts, including those of other tests.
beforeEach(() => query("update messages set state = 'sent' where state = 'abandoned'"));

const everything = { since: undefined, reason: undefined };

/** An account with a message to each receiver, all abandoned with this reply, this many hours ago. */
async function abandoned(count: number, outcome: string, hoursAgo = 0): Promise<Actor> {
  const receivers = Array.from({ length: count }, (_, index) => `r${index}@example.org`);
  const actor = await exchange.account(...receivers);
  await exchange.drop(actor, receivers, ['a.txt']);
  await query(
    `update messages set state = 'abandoned', attempts = 25, outcome = $2, settled_at = now() - make_interval(hours => $3)
     where account_id = $1`,
    [actor.accountId, outcome, hoursAgo],
  );
  await query("delete from graphile_worker._private_jobs where key like 'message:%'");
  return actor;
}
const readStates = async (actor: Actor) =>
  (
    await query<{ state: string; attempts: number }>('select state, attempts from messages where account_id = $1', [
      actor.accountId,
    ])
  ).map(({ state, attempts }) => `${state} ${attempts}`);
const readAudit = async (actor: Actor) =>
  (
    await query<{ details: unknown }>(
      "select details from audit_entries where account_id = $1 and action = 'messages.retried'",
      [actor.accountId],
    )
  ).map(({ details }) => details);

test('all that were abandoned are sent again, with a job each and an audit entry per account', async () => {
  const [first, second] = [await abandoned(3, '535 expired'), await abandoned(2, '550 no such user')];
  expect(await retryAllMessages(engines, everything)).toBe(5);
  expect(await readStates(first)).toEqual(['waiting 0', 'waiting 0', 'waiting 0']);
  expect(await readAudit(first)).toEqual([{ count: 3 }]);
  expect(await readAudit(second)).toEqual([{ count: 2 }]);
  const jobs = await query("select 1 from graphile_worker.jobs where key like 'message:%'");
  expect(jobs).toHaveLength(5);
  expect(await retryAllMessages(engines, everything)).toBe(0);
  expect(await readAudit(first)).toHaveLength(1);
});

test('more than fit into a batch are sent again too', async () => {
  const actor = await abandoned(3, '535');
  await query(
    `insert into messages (account_id, drop_id, id, position, kind, channel, receiver, state, outcome, settled_at)
     select account_id, drop_id, gen_random_uuid(), 0, 'invitation', 'mail', receiver, state, outcome, settled_at
     from messages, generate_series(1, 1000) where account_id = $1 and position = 0`,
    [actor.accountId],
  );
  expect(await retryAllMessages(engines, everything)).toBe(1003);
  expect((await readAudit(actor)) as { count: number }[]).toEqual([{ count: 500 }, { count: 500 }, { count: 3 }]);
});

test('only those since a time, and only those for a reason, where one is said', async () => {
  const [old, expired, unknown] = [
    await abandoned(1, '535 Password Expired', 5),
    await abandoned(1, '535 Password Expired', 1),
    await abandoned(1, '550 100% no_such user', 1),
  ];
  const since = new Date(Date.now() - 2 * 3_600_000);
  expect(await retryAllMessages(engines, { since, reason: 'password expired' })).toBe(1);
  expect([await readStates(old), await readStates(expired), await readStates(unknown)]).toEqual([
    ['abandoned 25'],
    ['waiting 0'],
    ['abandoned 25'],
  ]);
  expect(await retryAllMessages(engines, { since: undefined, reason: '100_ no' })).toBe(0);
  expect(await retryAllMessages(engines, { since: undefined, reason: '100% no_' })).toBe(1);
});

test('what is abandoned again meanwhile is not for this run', async () => {
  const actor = await abandoned(1, '550');
  let batches = 0;
  const givingUp = {
    ...engines,
    store: {
      ...engines.store,
      transaction: async <T>(work: Parameters<typeof engines.store.transaction<T>>[0]) => {
        batches += 1;
        if (batches > 5) throw new Error('it does not end');
        const result = await engines.store.transaction(work);
        await query("update messages set state = 'abandoned', settled_at = now() where account_id = $1", [
          actor.accountId,
        ]);
        return result;
      },
    },
  };
  expect(await retryAllMessages(givingUp, { since: undefined, reason: randomUUID() })).toBe(0);
  batches = 0;
  expect(await retryAllMessages(givingUp, everything)).toBe(1);
});
