import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { useTestExchange } from '../../test/exchange.ts';
import { announceUpload, openRequestLink, readyFile } from '../../test/file-requests.ts';
import { placeEvidence } from '../../test/place-evidence.ts';
import { runAdmin } from '../../test/run-admin.ts';
import { createAccount } from '../domain/accounts/change-account.ts';
import { sweepDeletedAccounts } from '../domain/accounts/delete-account.ts';
import type { Actor } from '../domain/actor.ts';
import { placeHold, releaseHold } from '../domain/holds/change-holds.ts';
import { sendFiles } from '../domain/requests/send-files.ts';
import { sweep } from '../domain/sweep.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;

const deleteAccount = (email: string) => runAdmin(exchange, 'accounts', 'delete', '--account', email, '--yes');

/** The tables with rows that outlive an account, and the rows among them that could still name someone. */
const remaining = ['audit_entries.account_id', 'evidence_entries.account_id'];
const unerased = 'select from evidence_entries where account_id = $1 and (data is not null or salt is not null)';

const listObjects = (ids: readonly string[]) =>
  [...engines.objects.objects.keys()].filter((key) => ids.some((id) => key.includes(id)));

/** Sweeps until objects that may still be on their way, which are waited for for ten minutes, are deleted too. */
async function sweepAll(accountId: string): Promise<void> {
  await sweep(engines);
  await query('update uploads set due_at = now() where account_id = $1', [accountId]);
  await sweep(engines);
  await sweep(engines);
}

/** How many rows of each table belong to the account; a position of the scrub belongs to none. */
async function countRows(accountId: string): Promise<Record<string, number>> {
  const tables = await query<{ name: string; column: string }>(
    `select columns.table_name as name, column_name as column
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'scrub'
       and (column_name like '%account_id' or table_name = 'accounts' and column_name = 'id')`,
  );
  const counts: Record<string, number> = {};
  for (const { name, column } of tables) {
    const [row] = await query<{ count: number }>(
      `select count(*)::integer as count from ${name} where ${column} = '${accountId}'`,
    );
    counts[`${name}.${column}`] = row?.count ?? 0;
  }
  return counts;
}

/** An account with something in every table. */
async function richAccount(receiver: Actor) {
  const actor = await exchange.account(receiver.email, 'r@example.org', 'c@example.org');
  const dropId = await exchange.drop(actor, [receiver.email, 'r@example.org'], ['a.txt', 'b.txt']);
  const { link } = await openRequestLink(exchange, ['c@example.org'], actor);
  await readyFile(engines, link, 'received.txt');
  await sendFiles(engines, link, '');
  await readyFile(engines, link, 'in the contact draft.txt');
  await announceUpload(engines, link, 'unfinished.bin', 1_000_000);
  await exchange.upload(actor, 'staged.txt');
  const holdId = await placeHold(
    engines,
    { id: actor.accountId, email: actor.email },
    {
      dropId,
      name: 'case 1',
      reason: 'over',
      by: 'admin',
    },
  );
  await releaseHold(engines, holdId, 'admin');
  const { accountId } = actor;
  const webhookId = randomUUID();
  for (const [text, ...values] of [
    [
      "insert into webhooks (account_id, id, url, created_by, salt) values ($1, $2, 'https://x.org', $2, '')",
      webhookId,
    ],
    [
      `insert into webhook_attempts (account_id, webhook_id, id, event_id, type, attempt, at, duration_ms)
       values ($1, $2, gen_random_uuid(), gen_random_uuid(), 'drop.created', 1, now(), 1)`,
      webhookId,
    ],
    [
      `insert into webhook_deliveries (account_id, webhook_id, event_id, type, occurred_at, data, due_at)
       values ($1, $2, gen_random_uuid(), 'drop.created', now(), '{}', now())`,
      webhookId,
    ],
    [
      `insert into test_messages (account_id, id, kind, channel, receiver, text)
       values ($1, gen_random_uuid(), 'code', 'sms', '46700', '')`,
    ],
    ["insert into events (account_id, epoch, type, data) values ($1, 0, 'drop.created', '{}')"],
    [
      `with person as (
         insert into people (id, email, handle) values (gen_random_uuid(), $1::uuid || '@example.org', sha256($1::uuid::text::bytea))
         returning id
       )
       insert into memberships (account_id, person_id, role, news) select $1::uuid, id, 'owner', '{received}' from person`,
    ],
    [
      `insert into person_links (id, person_id, purpose, account_id, expires_at)
       select gen_random_uuid(), person_id, 'invitation', $1::uuid, now() from memberships where account_id = $1::uuid`,
    ],
    ['insert into public_pages (account_id, name, is_open) values ($1::uuid, md5($1::uuid::text), true)'],
    ["insert into blocked_senders (account_id, email) values ($1, 'r@example.org')"],
    ["insert into stopped_mail (account_id, email) values ($1, 'r@example.org')"],
    [
      "insert into responses (account_id, key_digest, request_digest, key_id, response) values ($1, '\\x00', '', $1, '')",
    ],
    [
      `insert into daily_usage (account_id, day, drops, mails) values ($1, current_date, 1, 1)
       on conflict (account_id) do nothing`,
    ],
    [
      `insert into link_sessions (digest, account_id, drop_id, position)
       select token_digest, account_id, drop_id, position from links where account_id = $1`,
    ],
    [
      `insert into download_places (account_id, drop_id, position, id, session, due_at)
       select account_id, drop_id, position, gen_random_uuid(), digest, now() from link_sessions where account_id = $1`,
    ],
    [
      `insert into deliveries (account_id, drop_id, position, file_id, delivered)
       select account_id, drop_id, 0, id, '{[0,1)}' from files where account_id = $1 and drop_id = $2`,
      dropId,
    ],
    [
      `insert into damaged_files (account_id, file_id, object, problem)
       select account_id, id, 'x', 'missing' from files where account_id = $1 limit 1`,
    ],
  ] as [string, ...string[]][]) {
    await query(text, [accountId, ...values]);
  }
  await placeEvidence(exchange.database);
  return { actor, dropId, holdId };
}

test('a deleted account leaves nothing but its audit and erased evidence, and its address can be used again', async () => {
  const receiver = await exchange.account();
  const { actor } = await richAccount(receiver);
  const sent = await exchange.account(actor.email);
  const sentDrop = await exchange.drop(sent, [actor.email], ['for it.txt']);
  const before = await countRows(actor.accountId);
  expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([]);
  const files = await query<{ id: string }>(
    'select id from files where account_id = $1 union select id from uploads where account_id = $1',
    [actor.accountId],
  );
  const ids = files.map(({ id }) => id);
  expect(listObjects(ids)).not.toEqual([]);

  const output = await deleteAccount(actor.email);
  expect(output).toContain('drops and requests: 3, of which 3 can be opened now');
  expect(output).toContain('is being deleted');
  expect(await runAdmin(exchange, 'accounts', 'list')).toMatch(
    new RegExp(`^${actor.email} +api +being deleted +`, 'm'),
  );
  await expect(runAdmin(exchange, 'accounts', 'enable', '--email', actor.email)).rejects.toMatchObject({
    code: 'precondition_failed',
  });
  await sweepAll(actor.accountId);

  const after = Object.entries(await countRows(actor.accountId)).filter(([, count]) => count > 0);
  expect(after.map(([name]) => name).toSorted()).toEqual(remaining);
  expect(await query(unerased, [actor.accountId])).toEqual([]);
  expect(listObjects(ids)).toEqual([]);
  expect(await query('select 1 from inbox_entries where account_id = $1', [receiver.accountId])).toEqual([]);
  // Drops that others sent to it are theirs.
  expect(await query('select ended_at from drops where id = $1', [sentDrop])).toEqual([{ ended_at: null }]);
  const again = await createAccount(engines, { email: actor.email, phone: '46701234567', type: 'api' });
  const fresh = Object.entries(await countRows(again.account.id)).filter(([, count]) => count > 0);
  const own = ['accounts.id', 'api_keys.account_id', 'audit_entries.account_id', 'usage.account_id'];
  expect(fresh.map(([name]) => name).toSorted()).toEqual(own);
});

test('without --yes it says what would be deleted, and changes nothing', async () => {
  const receiver = await exchange.account();
  const actor = await exchange.account(receiver.email);
  await exchange.drop(actor, [receiver.email], ['a.txt']);
  const before = await countRows(actor.accountId);
  const error = await runAdmin(exchange, 'accounts', 'delete', '--account', actor.email).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ message: expect.stringContaining('--yes') });
  await sweep(engines);
  expect(await countRows(actor.accountId)).toEqual(before);
});

test('it says which people are deleted with the account, and deletes no others', async () => {
  const [actor, other, going] = [await exchange.account(), await exchange.account(), await exchange.account()];
  await query('update accounts set deleted_at = now() where id = $1', [going.accountId]);
  const addPerson = async (name: string, accounts: readonly Actor[], isAdministrator = false) => {
    const email = `${name}.${actor.email}`;
    await query(
      `with person as (
         insert into people (id, email, handle, is_administrator)
         values (gen_random_uuid(), $1::text, sha256($1::text::bytea), $2) returning id
       )
       insert into memberships (account_id, person_id, role) select unnest($3::uuid[]), id, 'member' from person`,
      [email, isAdministrator, accounts.map(({ accountId }) => accountId)],
    );
    return email;
  };
  const only = await addPerson('only', [actor]);
  const soon = await addPerson('soon', [actor, going]);
  const both = await addPerson('both', [actor, other]);
  const administrator = await addPerson('administrator', [actor], true);
  const output = JSON.parse(
    await runAdmin(exchange, 'accounts', 'delete', '--account', actor.email, '--yes', '--json'),
  ) as { contents: object };
  expect(output.contents).toMatchObject({ people: 2, first_people: [only, soon] });
  expect(await deleteAccount(actor.email)).toContain(`people who belong to no other account: 2 (${only}, ${soon})\n`);
  await sweepAll(actor.accountId);
  const left = await query<{ email: string }>('select email from people where email like $1 order by email', [
    `%${actor.email}`,
  ]);
  expect(left.map(({ email }) => email)).toEqual([administrator, both].toSorted());
});

test('a legal hold refuses the deletion, and one that is placed later stops it until it is released', async () => {
  const receiver = await exchange.account();
  const actor = await exchange.account(receiver.email);
  const dropId = await exchange.drop(actor, [receiver.email], ['a.txt']);
  const account = { id: actor.accountId, email: actor.email };
  const hold = { dropId, name: 'case 2', reason: 'a court', by: 'admin' };
  const first = await placeHold(engines, account, hold);
  await expect(deleteAccount(actor.email)).rejects.toMatchObject({
    code: 'precondition_failed',
    message: expect.stringContaining('waybilld admin holds list'),
  });
  expect(await query('select disabled_at, deleted_at from accounts where id = $1', [actor.accountId])).toEqual([
    { disabled_at: null, deleted_at: null },
  ]);
  await releaseHold(engines, first, 'admin');
  await placeEvidence(exchange.database);

  await deleteAccount(actor.email);
  const second = await placeHold(engines, account, hold);
  const before = await countRows(actor.accountId);
  await sweepAll(actor.accountId);
  expect(await countRows(actor.accountId)).toEqual(before);
  await releaseHold(engines, second, 'admin');
  await sweepAll(actor.accountId);
  expect(await query('select 1 from accounts where id = $1', [actor.accountId])).toEqual([]);
});

test('a large account is deleted in batches, also when the sweep is interrupted between them', async () => {
  const actor = await exchange.account('r@example.org');
  await exchange.drop(actor, ['r@example.org'], ['a.txt']);
  await query(
    `insert into drops (account_id, id, type, message, lifetime, expires_at, receiver_count, file_count, key_day, ended_at)
     select account_id, gen_random_uuid(), type, message, lifetime, expires_at, 0, 0, 0,
       case when number % 2 = 0 then now() end
     from drops, generate_series(1, 1200) as number where account_id = $1`,
    [actor.accountId],
  );
  await query(
    `insert into evidence_entries (account_id, kind, drop_id, data)
     select account_id, 'drop.restored', id, '{"by": "a@x.org"}' from drops where account_id = $1`,
    [actor.accountId],
  );
  await placeEvidence(exchange.database);
  await deleteAccount(actor.email);
  let transactions = 0;
  const transaction: typeof engines.store.transaction = (work) => {
    transactions += 1;
    return transactions === 3 ? Promise.reject(new Error('the process stops')) : engines.store.transaction(work);
  };
  const interrupted = { ...engines, store: { ...engines.store, transaction } };
  await expect(sweepDeletedAccounts(interrupted, async () => undefined)).rejects.toThrow('the process stops');
  await sweepAll(actor.accountId);
  const left = Object.entries(await countRows(actor.accountId)).filter(([, count]) => count > 0);
  expect(left.map(([name]) => name).toSorted()).toEqual(remaining);
});
