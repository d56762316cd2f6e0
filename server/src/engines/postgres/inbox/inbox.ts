import { type RawBuilder, sql } from 'kysely';
import type {
  InboxStore,
  LeasedEntry,
  QueuedEntry,
  QueuePosition,
  QueueState,
} from '../../../domain/inbox/inbox-store.ts';
import type { Database } from '../database.ts';
import { maxPageRows } from '../page-size.ts';
import { secondsFromNow } from '../time.ts';

const maxClaim = 100;

const isHeld = sql`entry.lease_id is not null and entry.due_at > now()`;
const isParked = sql`entry.state = 'last_attempt' and entry.due_at <= now()`;
const stateOfEntry = sql<QueueState>`
  case when entry.state = 'acknowledged' then 'acknowledged'
       when ${isHeld} then 'claimed'
       when entry.state = 'last_attempt' then 'parked'
       else 'available' end`;

/** The stored states that make up each state, each read from its own index. */
const partsByState: Readonly<Record<QueueState, readonly RawBuilder<unknown>[]>> = {
  available: [sql`entry.state = 'queued' and (entry.lease_id is null or entry.due_at <= now())`],
  claimed: [sql`entry.state = 'queued' and ${isHeld}`, sql`entry.state = 'last_attempt' and ${isHeld}`],
  parked: [isParked],
  acknowledged: [sql`entry.state = 'acknowledged'`],
};

const liveDrop = sql`drops.ended_at is null and drops.expires_at > now()`;
const liveEntries = sql`
  inbox_entries as entry
  join drops on drops.account_id = entry.sender_account_id and drops.id = entry.drop_id and ${liveDrop}`;

/** The entries that `found` selects, by the columns of their table, with what there is to know about them. */
const shown = (found: RawBuilder<unknown>, at: RawBuilder<unknown>) => sql<QueuedEntry>`
  select entry.id, entry.sender_account_id as "senderAccountId", entry.drop_id as "dropId",
    entry.created_at as "receivedAt", drops.expires_at as "expiresAt", drops.message, drops.file_count as "fileCount",
    drops.request_id as "requestId", coalesce(contact.email, sender.email) as sender, ${stateOfEntry} as state,
    entry.attempts, entry.due_at as "dueAt", ${at}::text as at
  from ${found} as entry
  join drops on drops.account_id = entry.sender_account_id and drops.id = entry.drop_id
  join accounts as sender on sender.id = entry.sender_account_id
  left join links as contact on contact.account_id = drops.account_id and contact.drop_id = drops.request_id
    and contact.position = drops.request_position`;

export function inboxStore(db: Database): InboxStore {
  return {
    async page(accountId, state, after, count) {
      const { rows } = await (state === undefined
        ? newestFirst(accountId, after, count)
        : inState(accountId, partsByState[state], after, count)
      ).execute(db);
      return rows;
    },

    async entry(accountId, id) {
      const found = sql`(
        select entry.* from ${liveEntries} where entry.account_id = ${accountId} and entry.id = ${id})`;
      const { rows } = await shown(found, sql`entry.created_at`).execute(db);
      return rows[0];
    },

    async claim(accountId, { leaseId, leaseSeconds, maxEntries, maxAttempts }) {
      // The inner limit is for the plan, which does not know a parameter's value. Only the rows that pass the outer
      // limit are read and locked.
      const { rows } = await sql<QueuedEntry>`
        with due as materialized (
          select * from (
            select entry.account_id, entry.id from ${liveEntries}
            where entry.account_id = ${accountId} and entry.state = 'queued' and entry.due_at <= now()
            order by entry.due_at, entry.id limit ${sql.lit(maxClaim)} for update of entry skip locked
          ) as first limit ${maxEntries}
        ), claimed as (
          update inbox_entries as entry
          set lease_id = ${leaseId}, due_at = ${secondsFromNow(leaseSeconds)}, attempts = entry.attempts + 1,
            state = case when entry.attempts + 1 < ${maxAttempts} then 'queued' else 'last_attempt' end::inbox_state
          from due where entry.account_id = due.account_id and entry.id = due.id
          returning entry.*
        )
        ${shown(sql`claimed`, sql`entry.due_at`)} order by entry.created_at, entry.id
      `.execute(db);
      return rows;
    },

    renew: (accountId, entry, leaseSeconds) =>
      change(accountId, entry.id, sql`due_at = ${secondsFromNow(leaseSeconds)}`, heldBy(entry)),

    acknowledge: (accountId, entry) =>
      change(
        accountId,
        entry.id,
        sql`state = 'acknowledged', due_at = case when entry.state = 'acknowledged' then entry.due_at else now() end`,
        sql`(${heldBy(entry)} or entry.state = 'acknowledged' and entry.lease_id = ${entry.leaseId})`,
      ),

    giveBack: (accountId, entry, delaySeconds) =>
      change(
        accountId,
        entry.id,
        sql`lease_id = null,
          due_at = case when entry.state = 'queued' then ${secondsFromNow(delaySeconds)} else now() end`,
        heldBy(entry),
      ),

    release: (accountId, id) =>
      change(accountId, id, sql`state = 'queued', attempts = 0, lease_id = null, due_at = now()`, isParked),
  };

  async function change(
    accountId: string,
    id: string,
    changes: RawBuilder<unknown>,
    where: RawBuilder<unknown>,
  ): Promise<boolean> {
    const { numAffectedRows } = await sql`
      update inbox_entries as entry set ${changes} from drops
      where entry.account_id = ${accountId} and entry.id = ${id} and ${where}
        and drops.account_id = entry.sender_account_id and drops.id = entry.drop_id and ${liveDrop}
    `.execute(db);
    return numAffectedRows === 1n;
  }
}

function heldBy({ leaseId }: LeasedEntry): RawBuilder<unknown> {
  return sql`(entry.lease_id = ${leaseId} and entry.state <> 'acknowledged' and entry.due_at > now())`;
}

function newestFirst(accountId: string, after: QueuePosition | undefined, count: number) {
  const isAfter = after ? sql`(entry.created_at, entry.id) < (${after.at}::timestamptz, ${after.id}::uuid)` : sql`true`;
  const found = sql`(
    select entry.* from ${liveEntries}
    where entry.account_id = ${accountId} and ${isAfter}
    order by entry.created_at desc, entry.id desc limit ${sql.lit(maxPageRows)})`;
  return sql<QueuedEntry>`
    ${shown(found, sql`entry.created_at`)} order by entry.created_at desc, entry.id desc limit ${count}`;
}

function inState(
  accountId: string,
  parts: readonly RawBuilder<unknown>[],
  after: QueuePosition | undefined,
  count: number,
) {
  const isAfter = after ? sql`(entry.due_at, entry.id) > (${after.at}::timestamptz, ${after.id}::uuid)` : sql`true`;
  const found = parts.map(
    (part) => sql`(
      select entry.* from ${liveEntries}
      where entry.account_id = ${accountId} and ${part} and ${isAfter}
      order by entry.due_at, entry.id limit ${sql.lit(maxPageRows)})`,
  );
  return sql<QueuedEntry>`
    ${shown(sql`(${sql.join(found, sql` union all `)})`, sql`entry.due_at`)}
    order by entry.due_at, entry.id limit ${count}`;
}
