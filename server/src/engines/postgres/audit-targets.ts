import { type RawBuilder, sql } from 'kysely';
import type { AuditPosition } from '../../domain/audit/audit-store.ts';
import {
  type AuditTargetLease,
  type AuditTargetName,
  type AuditTargetState,
  type AuditTargetStore,
  countedUpTo,
} from '../../domain/audit/audit-target-store.ts';
import { bindStatements, type Database } from './database.ts';
import { secondsFromNow } from './time.ts';

const position = sql`case when epoch is not null then
  json_build_object('epoch', epoch, 'transactionId', transaction_id::text, 'sequence', sequence) end`;
/** Of what a target does not have. Before the first delivery, that is everything. */
const isWaiting = sql`(entry.epoch, entry.transaction_id, entry.sequence)
  > (coalesce(target.epoch, 0), coalesce(target.transaction_id, '0'::xid8), coalesce(target.sequence, 0))`;
const inOrder = sql`entry.epoch, entry.transaction_id, entry.sequence`;
const noFailure = sql`failing_since = null, failure = null, remedy = null, refused_id = null`;

export function auditTargetStore(db: Database): AuditTargetStore {
  const { readRow, readRows } = bindStatements(db);
  const change = async ({ name, fence }: AuditTargetLease, changes: RawBuilder<unknown>) => {
    const { numAffectedRows } = await sql`
      update audit_targets set ${changes} where name = ${name} and fence = ${fence}`.execute(db);
    return numAffectedRows === 1n;
  };

  return {
    async take(name, leaseSeconds) {
      await sql`insert into audit_targets (name) values (${name}) on conflict do nothing`.execute(db);
      const { rows } = await sql<{ fence: number; position: AuditPosition | null }>`
        update audit_targets set fence = fence + 1, lease_until = ${secondsFromNow(leaseSeconds)}
        where name = ${name} and coalesce(lease_until <= now(), true)
        returning fence, ${position} as position
      `.execute(db);
      const [taken] = rows;
      return taken && { lease: { name, fence: taken.fence }, position: taken.position ?? undefined };
    },

    advance(lease, to, leaseSeconds) {
      const until = sql`lease_until = ${secondsFromNow(leaseSeconds)}`;
      if (!to) return change(lease, until);
      return change(
        lease,
        sql`${until}, epoch = ${to.epoch}, transaction_id = ${to.transactionId}::xid8, sequence = ${to.sequence},
          delivered_at = now(), ${noFailure}`,
      );
    },

    fail: (lease, { reason, remedy, refusedId }, leaseSeconds) =>
      change(
        lease,
        sql`lease_until = ${secondsFromNow(leaseSeconds)}, failing_since = coalesce(failing_since, now()),
          failure = ${reason.slice(0, 500)}, remedy = ${remedy}, refused_id = ${refusedId ?? null}::uuid`,
      ),

    async release(lease) {
      await change(lease, sql`lease_until = null`);
    },

    skip: (name, refusedId) => readRow<{ failure: string }>`
        with refused as (
          select target.name, target.failure, entry.epoch, entry.transaction_id, entry.sequence
          from audit_targets as target cross join lateral (
            select entry.* from audit_entries as entry where ${isWaiting} order by ${inOrder} limit 1
          ) as entry
          where target.name = ${name} and target.refused_id = ${refusedId} and entry.id = target.refused_id
          for update of target
        )
        update audit_targets as target set fence = fence + 1, epoch = refused.epoch,
          transaction_id = refused.transaction_id, sequence = refused.sequence, ${noFailure}
        from refused where target.name = refused.name
        returning refused.failure
      `,

    list: () => readRows<AuditTargetState & { name: AuditTargetName }>`
        select name, ${position} as position, delivered_at as "deliveredAt", failing_since as "failingSince", failure,
          remedy, refused_id as "refusedId", waiting.at as "oldestWaitingAt", waiting.entries as "waitingEntries",
          coalesce(greatest(extract(epoch from now() - waiting.at), 0), 0)::float8 as "waitingSeconds"
        from audit_targets as target cross join lateral (
          select min(at) as at, count(*)::int4 as entries from (
            select entry.at from audit_entries as entry where ${isWaiting} order by ${inOrder} limit ${sql.lit(countedUpTo)}
          ) as next
        ) as waiting
        order by name limit 10
      `,
  };
}
