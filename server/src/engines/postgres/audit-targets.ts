import { type RawBuilder, sql } from 'kysely';
import type { AuditPosition } from '../../domain/audit/audit-store.ts';
import type {
  AuditTargetLease,
  AuditTargetName,
  AuditTargetState,
  AuditTargetStore,
} from '../../domain/audit/audit-target-store.ts';
import type { Database } from './database.ts';
import { secondsFromNow } from './time.ts';

const position = sql`case when epoch is not null then
  json_build_object('epoch', epoch, 'transactionId', transaction_id::text, 'sequence', sequence) end`;

export function auditTargetStore(db: Database): AuditTargetStore {
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
          delivered_at = now(), failing_since = null, failure = null`,
      );
    },

    fail: (lease, failure, leaseSeconds) =>
      change(
        lease,
        sql`lease_until = ${secondsFromNow(leaseSeconds)}, failure = ${failure.slice(0, 500)},
          failing_since = coalesce(failing_since, now())`,
      ),

    async release(lease) {
      await change(lease, sql`lease_until = null`);
    },

    async list() {
      const { rows } = await sql<AuditTargetState & { name: AuditTargetName }>`
        select name, ${position} as position, delivered_at as "deliveredAt", failing_since as "failingSince", failure,
          waiting.at as "oldestWaitingAt",
          coalesce(greatest(extract(epoch from now() - waiting.at), 0), 0)::float8 as "waitingSeconds"
        from audit_targets left join lateral (
          select at from audit_entries
          where (audit_entries.epoch, audit_entries.transaction_id, audit_entries.sequence)
            > (coalesce(audit_targets.epoch, 0), coalesce(audit_targets.transaction_id, '0'::xid8), coalesce(audit_targets.sequence, 0))
          order by audit_entries.epoch, audit_entries.transaction_id, audit_entries.sequence limit 1
        ) as waiting on true
        order by name limit 10
      `.execute(db);
      return rows;
    },
  };
}
