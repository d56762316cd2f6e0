import { beforeEach, expect, test } from 'vitest';
import { useTestExchange } from '../../test/exchange.ts';
import { runAdmin } from '../../test/run-admin.ts';
import type { Actor } from '../domain/actor.ts';
import { sendMessage } from '../domain/outbox/send-message.ts';
import type { Mailer } from '../domain/ports/mailer.ts';
import { toReference } from '../domain/reference.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;
// The command affects all accounts, including those of other tests.
beforeEach(() => query("update messages set state = 'sent' where state <> 'sent'"));

const retry = async (...options: string[]) =>
  JSON.parse(await runAdmin(exchange, 'outbox', 'retry', ...options, '--json')) as unknown;

/** An account whose messages the mail server did not take: they wait for hours. */
async function waitingMessages(count: number, outcome = '421 try again later'): Promise<Actor> {
  const receivers = Array.from({ length: count }, (_, index) => `r${index}@example.org`);
  const actor = await exchange.account(...receivers);
  await exchange.drop(actor, receivers, ['a.txt']);
  await query(
    `with waiting as (
       update messages set attempts = 20, outcome = $2, due_at = now() + make_interval(hours => 1 + position)
       where account_id = $1 returning id, due_at
     )
     update graphile_worker._private_jobs as job set run_at = waiting.due_at from waiting
     where job.key = 'message:' || waiting.id::text`,
    [actor.accountId, outcome],
  );
  return actor;
}

/** Messages of the account that are due, and have a job that is due. */
const dueMessages = async (actor: Actor) =>
  query<{ id: string; attempts: number }>(
    `select messages.id, messages.attempts from messages
     join graphile_worker._private_jobs as job on job.key = 'message:' || messages.id::text
     where account_id = $1 and state = 'waiting' and due_at <= now() and run_at <= now()`,
    [actor.accountId],
  );

test('messages that wait for their next attempt are sent now, with all their attempts', async () => {
  const [first, second] = [await waitingMessages(3), await waitingMessages(2)];
  expect(await dueMessages(first)).toEqual([]);
  expect(await retry('--waiting')).toEqual({ retried: 5 });
  expect((await dueMessages(first)).map(({ attempts }) => attempts)).toEqual([0, 0, 0]);
  expect(await dueMessages(second)).toHaveLength(2);
  const audit = await query("select details from audit_entries where account_id = $1 and action = 'messages.retried'", [
    first.accountId,
  ]);
  expect(audit).toEqual([{ details: { count: 3, state: 'waiting' } }]);
  expect(await retry('--waiting')).toEqual({ retried: 0 });
});

test('more messages than fit into a batch are sent now', async () => {
  const actor = await waitingMessages(1);
  await query(
    `insert into messages (account_id, drop_id, id, position, kind, channel, receiver, attempts, due_at)
     select account_id, drop_id, gen_random_uuid(), 0, 'invitation', 'mail', receiver, 3, due_at
     from messages, generate_series(1, 1000) where account_id = $1`,
    [actor.accountId],
  );
  expect(await retry('--waiting')).toEqual({ retried: 1001 });
  expect(await dueMessages(actor)).toHaveLength(1001);
});

test('--reason selects messages by their last reply, and --all sends waiting and abandoned ones', async () => {
  const [relay, other, abandoned] = [
    await waitingMessages(1, '451 Relay is down'),
    await waitingMessages(1, '421 too busy'),
    await waitingMessages(1, '550 relay refused it'),
  ];
  await query("update messages set state = 'abandoned', settled_at = now() where account_id = $1", [
    abandoned.accountId,
  ]);
  expect(await retry('--waiting', '--reason', 'no such text')).toEqual({ retried: 0 });
  expect(await retry('--all', '--reason', 'relay')).toEqual({ retried: 2 });
  expect([await dueMessages(relay), await dueMessages(other), await dueMessages(abandoned)]).toMatchObject([
    [{ attempts: 0 }],
    [],
    [{ attempts: 0 }],
  ]);
});

test('a message that is being sent is left alone', async () => {
  const actor = await waitingMessages(1);
  await query('update messages set due_at = now() where account_id = $1', [actor.accountId]);
  const rows = await query<{ id: string }>('select id from messages where account_id = $1', [actor.accountId]);
  const id = rows[0]?.id as string;
  await query("update graphile_worker._private_jobs set locked_at = now(), locked_by = 'w' where key = $1", [
    `message:${id}`,
  ]);
  let retried: unknown;
  const mailer: Mailer = {
    send: async () => {
      retried = await retry('--waiting');
      await expect(retry(id, '--account', actor.email)).rejects.toMatchObject({ code: 'not_found' });
      return { outcome: 'sent', response: '250 ok' };
    },
  };
  await sendMessage({ ...engines, mailer }, actor.accountId, id);
  expect(retried).toEqual({ retried: 0 });
  expect(await query('select state, attempts from messages where id = $1', [id])).toEqual([
    { state: 'sent', attempts: 21 },
  ]);
});

test('a single message that waits is sent now', async () => {
  const actor = await waitingMessages(2);
  const rows = await query<{ id: string }>('select id from messages where account_id = $1', [actor.accountId]);
  const id = rows[0]?.id as string;
  expect(await retry(id, '--account', actor.email)).toEqual({ waiting: id });
  expect(await dueMessages(actor)).toEqual([{ id, attempts: 0 }]);
});

test('a mail that is tried again is shown with its last reply, and is found by account, drop and receiver', async () => {
  const [actor, other] = [await waitingMessages(2, '451 greylisted'), await waitingMessages(1, '421 later')];
  const [drop] = await query<{ id: string }>('select id from drops where account_id = $1', [actor.accountId]);
  const id = drop?.id ?? '';
  const shown = await runAdmin(exchange, 'drops', 'show', id, '--account', actor.email);
  expect(shown.match(/tried again +451 greylisted/g)).toHaveLength(2);
  const { sentDrops } = engines.store;
  const reply = { undeliverableAt: null, undeliverableReason: '451 greylisted' };
  expect(await sentDrops.receivers(actor.accountId, id)).toMatchObject([{ ...reply }, { ...reply }]);
  expect(await sentDrops.followedReceivers(actor.accountId, id)).toMatchObject([reply, reply]);

  const list = async (...options: string[]) => {
    const lines = JSON.parse(await runAdmin(exchange, 'outbox', 'list', '--json', ...options)) as {
      receiver: string;
    }[];
    return lines.map(({ receiver }) => receiver);
  };
  expect(await list()).toHaveLength(3);
  expect(await list('--account', other.email)).toEqual(['r0@example.org']);
  expect(await list('--drop', id)).toEqual(['r0@example.org', 'r1@example.org']);
  expect(await list('--receiver', 'R1@example.org')).toEqual(['r1@example.org']);
  expect(await list('--drop', toReference(id))).toHaveLength(2);
  await expect(list('--account', other.email, '--drop', id)).rejects.toThrow('has no drop');
  expect(await runAdmin(exchange, 'outbox', 'list', '--limit', '1')).toMatch(
    /^ID +ACCOUNT +NEXT ATTEMPT +KIND +BY +TO +ATTEMPTS +LAST REPLY\n[^\n]+@example\.org [^\n]+\n$/,
  );
  expect(await runAdmin(exchange, 'outbox', 'list', '--account', actor.email)).toMatch(/^ID +NEXT ATTEMPT +KIND /);

  await query('update links set notified_at = now() where account_id = $1', [actor.accountId]);
  expect(await runAdmin(exchange, 'drops', 'show', id, '--account', actor.email)).not.toContain('tried again');
});
