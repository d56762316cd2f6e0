import { sql } from 'kysely';
import type { AccountContents, AccountDeletionStore } from '../../../domain/accounts/account-store.ts';
import { bindStatements, type Database } from '../database.ts';
import { endDrops } from '../drops/drops.ts';
import { purgeDropsOfAccount } from '../drops/purge-drops.ts';
import { evidenceStore } from '../evidence/evidence.ts';
import { longestPutSeconds } from '../files/uploads.ts';
import { secondsFromNow } from '../time.ts';

/**
 * Tables whose rows are removed as they are, before those that they refer to, in the order of the rest of their key: a
 * search without an order would read the whole table.
 */
const plainTables = {
  webhook_attempts: 'webhook_id',
  webhook_deliveries: 'webhook_id',
  webhooks: 'id',
  events: 'epoch',
  messages: 'id',
  test_messages: 'id',
  api_keys: 'id',
  memberships: 'person_id',
  contacts: 'email',
  stopped_mail: 'email',
  public_pages: 'name',
  blocked_senders: 'email',
  responses: 'key_digest',
  inbox_entries: 'id',
  drafts: 'name',
} as const;
/**
 * Tables whose rows leave in steps: a file only after its objects, a drop only after its files. Links, deliveries and
 * browsers leave with their drop.
 */
const lastingTables = { uploads: 'id', files: 'id', drops: 'id' } as const;

/** The first ones are enough to see who belongs to the account. */
const namedPeople = 20;

export function accountDeletionStore(db: Database): AccountDeletionStore {
  const { readRows } = bindStatements(db);
  /** Whether a legal hold is in force. A hold that is placed later waits until this transaction has ended. */
  const hasHold = async (accountId: string) => {
    await sql`select pg_advisory_xact_lock_shared(hashtextextended('hold ' || ${accountId}::uuid, 0))`.execute(db);
    const { rows } = await sql`
      select from holds where account_id = ${accountId} and released_at is null limit 1
    `.execute(db);
    return rows.length > 0;
  };
  const removeRows = async (table: string, key: string, accountId: string, count: number) => {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where account_id = ${accountId} and ctid = any(array(
        select ctid from ${sql.table(table)} where account_id = ${accountId}
        order by ${sql.ref(key)} limit ${sql.lit(count)}))
    `.execute(db);
    return Number(numAffectedRows);
  };
  const abandonUploads = async (accountId: string, count: number) => {
    const { numAffectedRows = 0n } = await sql`
      update uploads set state = 'abandoned', wrapped_key = null, refusal = null, due_at = ${secondsFromNow(longestPutSeconds)}
      where account_id = ${accountId} and id = any(array(
        select id from uploads where account_id = ${accountId} and state <> 'abandoned' limit ${sql.lit(count)}))
    `.execute(db);
    return Number(numAffectedRows);
  };
  const deleteStagedFiles = async (accountId: string, count: number) => {
    const { numAffectedRows = 0n } = await sql`
      update files set state = 'deleting', wrapped_key = null, lease_until = now()
      where account_id = ${accountId} and id = any(array(
        select id from files where account_id = ${accountId} and state = 'ready' and drop_id is null
        limit ${sql.lit(count)}))
    `.execute(db);
    return Number(numAffectedRows);
  };

  /** The mails that told its members of drops which others sent to it belong to those drops. */
  const detachNews = async (accountId: string, count: number) => {
    const { numAffectedRows = 0n } = await sql`
      update messages set told_account_id = null where told_account_id = ${accountId} and ctid = any(array(
        select ctid from messages where told_account_id = ${accountId} limit ${sql.lit(count)}))
    `.execute(db);
    return Number(numAffectedRows);
  };

  return {
    async contents(accountId) {
      const { rows } = await sql<AccountContents>`
        with leaving as (
          select people.email from memberships join people on people.id = person_id
          where account_id = ${accountId} and not is_administrator and not exists (
            select from memberships as other join accounts on accounts.id = other.account_id
            where other.person_id = people.id and other.account_id <> ${accountId} and accounts.deleted_at is null)
        )
        select (select count(*) from drops where account_id = ${accountId} and ended_at is null and expires_at > now())
            as "liveDrops",
          (select count(*) from drops where account_id = ${accountId}) as drops,
          (select count(*) from files where account_id = ${accountId} and state in ('ready', 'held')) as files,
          (select coalesce(sum(stored_bytes), 0)::bigint from usage where account_id = ${accountId}) as "storedBytes",
          (select count(*) from inbox_entries where account_id = ${accountId}) as "inboxEntries",
          (select count(*) from contacts where account_id = ${accountId}) as contacts,
          (select count(*) from api_keys where account_id = ${accountId} and revoked_at is null) as "liveKeys",
          (select count(*) from webhooks where account_id = ${accountId}) as webhooks,
          (select count(*) from leaving) as people,
          array(select email from leaving order by email limit ${sql.lit(namedPeople)}) as "firstPeople"
      `.execute(db);
      return rows[0] as AccountContents;
    },

    async mark(accountId) {
      const { rows } = await sql<{ id: string }>`
        select id from accounts where id = ${accountId} or test_of = ${accountId}
      `.execute(db);
      for (const { id } of rows) if (await hasHold(id)) return false;
      await sql`
        update accounts set deleted_at = coalesce(deleted_at, now()), disabled_at = coalesce(disabled_at, now())
        where id = any(${rows.map(({ id }) => id)}::uuid[])
      `.execute(db);
      return true;
    },

    marked: (count) => readRows<{ id: string; email: string }>`
        select id, email from accounts where deleted_at is not null
          and not exists (select from holds where holds.account_id = accounts.id and released_at is null)
        order by deleted_at limit ${sql.lit(count)}
      `,

    async clear(accountId, count) {
      if (await hasHold(accountId)) return { rows: 0, more: false, ended: [] };
      const live = sql`
        select account_id, id from drops where account_id = ${accountId} and ended_at is null
        limit ${sql.lit(count)} for update`;
      const ended = await endDrops(db, live, sql`now()`);
      const counts = [
        ended.length,
        await abandonUploads(accountId, count),
        await deleteStagedFiles(accountId, count),
        await detachNews(accountId, count),
        await evidenceStore(db).eraseOfAccount(accountId, count),
      ];
      for (const [table, key] of Object.entries(plainTables))
        counts.push(await removeRows(table, key, accountId, count));
      const purged = await purgeDropsOfAccount(db, accountId, { owners: count, rows: count });
      return {
        rows: counts.reduce((sum, rows) => sum + rows, purged.rows),
        more: purged.more || counts.some((rows) => rows === count),
        ended: ended.map(({ dropId }) => dropId),
      };
    },

    async finish(accountId) {
      if (await hasHold(accountId)) return false;
      await sql`select from accounts where id = ${accountId} and deleted_at is not null for update`.execute(db);
      const { rows: tests } = await sql`select from accounts where test_of = ${accountId}`.execute(db);
      if (tests.length > 0) return false;
      for (const [table, key] of Object.entries({ ...plainTables, ...lastingTables })) {
        const { rows } = await sql`
          select from ${sql.table(table)} where account_id = ${accountId} order by ${sql.ref(key)} limit 1
        `.execute(db);
        if (rows.length > 0) return false;
      }
      const { rows: unerased } = await sql`
        select from evidence_entries where account_id = ${accountId} and salt is not null limit 1
      `.execute(db);
      if (unerased.length > 0) return false;
      const { rows: owed } = await sql`select from holds where account_id = ${accountId} and to_empty limit 1`.execute(
        db,
      );
      if (owed.length > 0) return false;
      for (const table of ['holds', 'usage', 'daily_usage']) {
        await sql`delete from ${sql.table(table)} where account_id = ${accountId}`.execute(db);
      }
      const { numAffectedRows } = await sql`
        delete from accounts where id = ${accountId} and deleted_at is not null
      `.execute(db);
      return numAffectedRows === 1n;
    },
  };
}
