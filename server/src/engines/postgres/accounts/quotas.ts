import { sql } from 'kysely';
import type { AccountUsage, Group, QuotaStore, Quotas } from '../../../domain/accounts/quota-store.ts';
import type { Database } from '../database.ts';

const columns = {
  maxStoredBytes: 'max_stored_bytes',
  maxFileBytes: 'max_file_bytes',
  dropsPerDay: 'drops_per_day',
  mailsPerDay: 'mails_per_day',
  minLifetime: 'min_lifetime',
  maxLifetime: 'max_lifetime',
  lifetimes: 'lifetimes',
  secondFactor: 'second_factor',
  sharedLinks: 'shared_links',
  receiverDomains: 'receiver_domains',
  acceptsEncrypted: 'accepts_encrypted',
} as const satisfies Record<keyof Quotas, string>;
const names = Object.keys(columns) as (keyof Quotas)[];

const selected = (value: (column: string) => ReturnType<typeof sql>) =>
  sql.join(names.map((name) => sql`${value(columns[name])} as ${sql.id(name)}`));
/** A test account has lifetimes of its own, which are short. */
const inherited = (column: string) => {
  const value = sql`${merge(column)}(${sql.ref(`live.${column}`)}, ${sql.ref(`groups.${column}`)})`;
  return column.endsWith('lifetime') || column === 'lifetimes'
    ? sql`case when accounts.test_of is null then ${value} end`
    : value;
};
/** The strictest rule about shared links applies, and of everything else the account's own. */
const merge = (column: string) => sql.raw(column === 'shared_links' ? 'least' : 'coalesce');
const today = sql`(now() at time zone 'UTC')::date`;

export function quotaStore(db: Database): QuotaStore {
  const changes = (quotas: Partial<Quotas>) =>
    Object.fromEntries(Object.entries(quotas).map(([name, value]) => [columns[name as keyof Quotas], value]));

  const groups = (where: ReturnType<typeof sql>) => sql<Group>`
    select id, name, ${selected((column) => sql.ref(`groups.${column}`))},
      (select count(*) from accounts where accounts.group_id = groups.id) as "accountCount"
    from groups where ${where}`;

  const usages = (where: ReturnType<typeof sql>) => sql<AccountUsage>`
    select accounts.id as "accountId", email, coalesce(stored_bytes, 0) as "storedBytes",
      coalesce(drops, 0) as "dropsToday", coalesce(mails, 0) as "mailsToday"
    from accounts left join usage on usage.account_id = accounts.id
    left join daily_usage as daily on daily.account_id = accounts.id and day = ${today}
    where ${where}`;

  return {
    async of(accountId) {
      const { rows } = await sql<Quotas & { isTest: boolean }>`
        select accounts.test_of is not null as "isTest",
          ${selected((column) => sql`${merge(column)}(${sql.ref(`accounts.${column}`)}, ${inherited(column)})`)}
        from accounts left join accounts as live on live.id = accounts.test_of
        left join groups on groups.id = coalesce(accounts.group_id, live.group_id) where accounts.id = ${accountId}
      `.execute(db);
      return only(rows);
    },

    async own(accountId) {
      const { rows } = await sql<Quotas & { group: string | null }>`
        select ${selected((column) => sql.ref(`accounts.${column}`))}, groups.name as "group"
        from accounts left join groups on groups.id = accounts.group_id where accounts.id = ${accountId}
      `.execute(db);
      return only(rows);
    },

    async setForAccount(accountId, quotas) {
      await db.updateTable('accounts').set(changes(quotas)).where('id', '=', accountId).execute();
    },

    async join(accountId, groupId) {
      await db.updateTable('accounts').set({ group_id: groupId }).where('id', '=', accountId).execute();
    },

    async createGroup(id, name) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('groups')
        .values({ id, name })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },

    async setForGroup(groupId, quotas) {
      await db.updateTable('groups').set(changes(quotas)).where('id', '=', groupId).execute();
    },

    async group(name) {
      const { rows } = await groups(sql`name = ${name}`).execute(db);
      return rows[0];
    },

    async groups(after, count) {
      const { rows } = await groups(sql`name > ${after} order by name limit ${sql.lit(count)}`).execute(db);
      return rows;
    },

    async removeGroup(groupId) {
      const { numDeletedRows } = await db
        .deleteFrom('groups')
        .where('id', '=', groupId)
        .where(({ not, exists, selectFrom }) => not(exists(selectFrom('accounts').where('group_id', '=', groupId))))
        .executeTakeFirstOrThrow();
      return numDeletedRows === 1n;
    },

    async usage(accountId) {
      const { rows } = await usages(sql`accounts.id = ${accountId}`).execute(db);
      return only(rows);
    },

    async usagePage(after, count) {
      const { rows } = await usages(sql`email > ${after} order by email limit ${sql.lit(count)}`).execute(db);
      return rows;
    },

    recount: (accountId) => recount(db, accountId),

    async countDispatch(accountId, { drops, mails }) {
      const kept = (column: string) =>
        sql`case when daily.day = excluded.day then ${sql.ref(`daily.${column}`)} else 0 end`;
      const { rows } = await sql<{ dropsToday: number; mailsToday: number; secondsLeft: number }>`
        insert into daily_usage as daily (account_id, day, drops, mails) values (${accountId}, ${today}, ${drops}, ${mails})
        on conflict (account_id) do update
        set day = excluded.day, drops = ${kept('drops')} + ${drops}, mails = ${kept('mails')} + ${mails}
        returning drops as "dropsToday", mails as "mailsToday",
          ceil(extract(epoch from (day + 1)::timestamp - now() at time zone 'UTC'))::integer as "secondsLeft"
      `.execute(db);
      return only(rows);
    },
  };
}

/**
 * Uploads go on meanwhile. A transaction changes files and usage together, so the difference between the sum and the
 * usage in one snapshot is what is missing, whatever else is committed before it is added. Only another recount would
 * add it twice.
 */
async function recount(db: Database, accountId: string): Promise<{ before: number; after: number }> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`recount ${accountId}`}, 0))`.execute(db);
  const { rows } = await sql<{ before: number; after: number }>`
    select coalesce((select stored_bytes from usage where account_id = ${accountId}), 0) as before,
      (select coalesce(sum(size_bytes), 0)::bigint from files
       where account_id = ${accountId} and state in ('ready', 'held')) +
      (select coalesce(sum(reserved_bytes), 0)::bigint from uploads
       where account_id = ${accountId} and state in ('receiving', 'checking')) as after
  `.execute(db);
  const counted = only(rows);
  await sql`
    insert into usage (account_id, stored_bytes) values (${accountId}, ${counted.after - counted.before})
    on conflict (account_id) do update set stored_bytes = usage.stored_bytes + excluded.stored_bytes
  `.execute(db);
  return counted;
}

function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (!row) throw new Error('the account does not exist');
  return row;
}
