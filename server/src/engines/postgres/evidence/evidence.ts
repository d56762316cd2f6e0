import { type RawBuilder, sql } from 'kysely';
import { serverAccountId } from '../../../domain/audit/record.ts';
import type { EvidenceStore, LoggedEvidence, ProvenReceiver } from '../../../domain/evidence/evidence-store.ts';
import { bindStatements, type Database } from '../database.ts';
import { isHeld, seemsUnheld } from '../is-held.ts';
import { purgeUnheld } from '../purge.ts';
import { readSize } from './evidence-log.ts';

const loggedColumns = sql`id, at, kind, drop_id as "dropId", position, number, data, salt, commitment, epoch, leaf_index as "leafIndex"`;
const order = sql`epoch, leaf_index`;
/** Less than any id. */
const nil = '00000000-0000-0000-0000-000000000000';

/** While an entry waits for its leaf, the salt and the event are needed to compute it. */
const isComplete = (entry: string) =>
  sql`${sql.ref(`${entry}.salt`)} is not null and ${sql.ref(`${entry}.leaf_index`)} is not null`;
const isErasable = sql`${isComplete('entry')} and ${seemsUnheld(sql`entry.account_id`, sql`entry.drop_id`)}`;
const isUnheld = (entry: string) => sql`not ${isHeld(sql.ref(`${entry}.account_id`), sql.ref(`${entry}.drop_id`))}`;
const erased = sql`data = null, salt = null`;

export function evidenceStore(db: Database): EvidenceStore {
  const { readRow, readRows } = bindStatements(db);
  /** Takes the event and the salt from the entries with these keys. */
  const erase = async (keys: RawBuilder<unknown>) => {
    const { numAffectedRows } = await sql`
      update evidence_entries as erased set ${erased} from (${keys}) as due
      where erased.account_id = due.account_id and erased.id = due.id
    `.execute(db);
    return Number(numAffectedRows ?? 0);
  };

  return {
    async append(entries) {
      if (entries.length === 0) return;
      await sql`
        insert into evidence_entries (account_id, kind, drop_id, position, data)
        select "accountId", kind, "dropId", position,
          case when (select test_of from accounts where accounts.id = "accountId") is null
            then data else data || '{"test": true}' end
        from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb)
          as entry ("accountId" uuid, kind text, "dropId" uuid, position integer, data jsonb)
      `.execute(db);
    },

    async readStories({ accountId, dropId, position }, after, count) {
      const story = (which: RawBuilder<unknown>) => sql`(
        select ${loggedColumns} from evidence_entries
        where account_id = ${accountId} and drop_id = ${dropId} and position ${which} and leaf_index is not null
          and (${order}) > (${after?.epoch ?? 0}, ${after?.leafIndex ?? -1})
        order by ${order} limit ${sql.lit(count)})`;
      const { rows } = await sql<LoggedEvidence>`
        ${story(sql`is null`)} union all ${story(sql`= ${position}`)}
        order by epoch, "leafIndex" limit ${sql.lit(count)}
      `.execute(db);
      return rows;
    },

    readLeaves: ({ epoch, leafIndex }, count) => readRows<LoggedEvidence>`
        select ${loggedColumns} from evidence_entries
        where epoch = ${epoch} and leaf_index >= ${leafIndex}
        order by ${order} limit ${sql.lit(count)}
      `,

    findReceivers: ({ accountId, idEnd, dropId, email, after }, count) => readRows<ProvenReceiver>`
        select * from (
          select distinct on (receiver.drop_id, receiver.position) receiver.drop_id as "dropId", receiver.position,
            accepted.data ->> 'type' as type, receiver.data ->> 'address' as email, receiver.data ->> 'name' as name
          from evidence_entries as accepted
          join evidence_entries as receiver on receiver.account_id = accepted.account_id
            and receiver.drop_id = accepted.drop_id and receiver.kind = 'content.consigned' and receiver.salt is not null
          where accepted.kind = 'submission.accepted' and right(accepted.drop_id::text, 10) = ${idEnd}
            and accepted.account_id = ${accountId} and accepted.salt is not null
            and ${dropId === undefined ? sql`true` : sql`accepted.drop_id = ${dropId}`}
            and (receiver.drop_id, receiver.position) > (${after?.dropId ?? nil}::uuid, ${after?.position ?? -1}::integer)
          order by receiver.drop_id, receiver.position, receiver.sequence desc) as found
        where ${email === undefined ? sql`true` : sql`lower(email) = lower(${email})`}
        order by "dropId", position limit ${sql.lit(count)}
      `,

    async checkPublished({ accountId, dropId, position }, until) {
      const { rows } = await sql<{ now: Date; isPublished: boolean; isCosigned: boolean }>`
        select clock_timestamp() as now,
          coalesce(bool_and(coalesce(entry.leaf_index < log.published_size, false)), true) as "isPublished",
          coalesce(bool_and(coalesce(entry.leaf_index < ${readSize(sql`log.cosigned_checkpoint`)} or log.ended_at is not null, false)), true) as "isCosigned"
        from evidence_entries as entry left join evidence_logs as log on log.epoch = entry.epoch
        where entry.account_id = ${accountId} and entry.drop_id = ${dropId}
          and (entry.position is null or entry.position = ${position})
          and entry.at <= coalesce(${until ?? null}::timestamptz, clock_timestamp())
      `.execute(db);
      return rows[0] ?? { now: new Date(), isPublished: false, isCosigned: false };
    },

    findDestroyedKey: (day) => readRow<LoggedEvidence>`
        select ${loggedColumns} from evidence_entries
        where account_id = ${serverAccountId} and drop_id is null and leaf_index is not null
          and kind = 'key.destroyed' and data ->> 'day' = ${day}
        order by ${order} limit 1
      `,

    async eraseNaming(address, { owners, rows: limit }) {
      const { rows } = await sql<{ rows: number; more: boolean }>`
        with chosen as materialized (
          select account_id, id, kind, drop_id, position from evidence_entries as entry
          where named_in_evidence(data) = lower(${address}) and ${isErasable}
          limit ${sql.lit(owners)}
        ), named as materialized (
          select * from chosen where ${isUnheld('chosen')}
        ), others as materialized (
          -- Of the same drops, so that none of them is held either.
          select entry.account_id, entry.id from evidence_entries as entry
          where (entry.account_id, entry.drop_id, entry.position) in (
              select account_id, drop_id, position from named where kind = 'content.consigned')
            and (entry.account_id, entry.id) not in (select account_id, id from named) and ${isComplete('entry')}
          limit ${sql.lit(limit)}
        ), due as (
          -- The entries by which a story is found are the last of it.
          select account_id, id from others
          union all
          select account_id, id from named where (select count(*) from others) < ${limit}
        ), erased as (
          update evidence_entries as erased set ${erased} from due
          where erased.account_id = due.account_id and erased.id = due.id
          returning erased.id
        )
        select (select count(*) from erased)::integer as rows, (select count(*) from named) > 0 as more
      `.execute(db);
      return rows[0] ?? { rows: 0, more: false };
    },

    async countNaming(address) {
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from evidence_entries where named_in_evidence(data) = lower(${address})
      `.execute(db);
      return rows[0]?.count ?? 0;
    },

    eraseOfAccount: (accountId, count) =>
      erase(sql`
        select account_id, id from (
          select account_id, id, drop_id from evidence_entries as entry
          where account_id = ${accountId} and ${isErasable} limit ${sql.lit(count)}) as chosen
        where ${isUnheld('chosen')}`),

    purge: (olderThanSeconds, count, after) =>
      purgeUnheld(
        db,
        {
          table: 'evidence_entries',
          key: ['account_id', 'id'],
          at: 'at',
          tie: ['sequence', 'bigint'],
          // Events of the log itself name nobody.
          where: sql`${isComplete('old')} and account_id <> ${serverAccountId}`,
          set: erased,
        },
        olderThanSeconds,
        count,
        after,
      ),
  };
}
