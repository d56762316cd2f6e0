import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { evidenceLogStore } from '../evidence/evidence-log.ts';

/** How far due work is counted, so that counting costs the same however much there is. */
export const countedUpTo = 10_000;
type Messages = Record<'waiting' | 'due' | 'abandoned', number>;

/** With which jobs are enqueued: codes come first, webhooks that fail come last. */
const priorities = { high: -10, normal: 0, low: 10 };
type Priority = keyof typeof priorities;

/**
 * Counts the work that is due and not yet done. Every part reads a bounded range of an index in its order: with
 * `order by`, PostgreSQL has no reason to read the table instead, whatever its statistics say. `isStamped`: whether time
 * stamps are requested for the evidence log.
 */
export async function readBacklog(db: Database, { isStamped = false }: { readonly isStamped?: boolean } = {}) {
  const limit = sql.lit(countedUpTo);
  const ready = Object.entries(priorities).map(
    ([name, priority]) => sql`(
      select task_id, run_at, ${sql.lit(name)} as priority from graphile_worker._private_jobs
      where is_available = true and priority = ${sql.lit(priority)} and run_at <= now()
      order by run_at limit ${limit}
    )`,
  );
  const names = Object.keys(priorities).map((name) => sql`(${sql.lit(name)})`);
  const { rows: jobs } = await sql<{ job: string; priority: Priority; ready: number; oldestSeconds: number }>`
    select tasks.identifier as job, names.priority, count(ready.task_id) as ready,
      coalesce(extract(epoch from now() - min(ready.run_at)), 0)::float8 as "oldestSeconds"
    from graphile_worker._private_tasks as tasks cross join (values ${sql.join(names)}) as names (priority)
    left join (${sql.join(ready, sql` union all `)}) as ready
      on ready.task_id = tasks.id and ready.priority = names.priority
    group by tasks.identifier, names.priority
  `.execute(db);
  const { rows } = await sql<Messages>`
    select
      (select count(*) from (
        select from messages where state = 'waiting' order by due_at limit ${limit}) as counted) as waiting,
      (select count(*) from (
        select from messages where state = 'waiting' and due_at <= now() order by due_at limit ${limit}) as counted) as due,
      (select count(*) from (
        select from messages where state = 'abandoned' order by settled_at limit ${limit}) as counted) as abandoned
  `.execute(db);
  const { rows: stored } = await sql<{
    damagedFiles: number;
    lastBackupSeconds: number | null;
    lastBackupFailureSeconds: number | null;
  }>`
    select (select count(*) from (
        select from damaged_files join files
          on files.account_id = damaged_files.account_id and files.id = file_id and wrapped_key is not null
        limit ${limit}) as counted) as "damagedFiles",
      (select extract(epoch from taken_at)::float8 from last_backup) as "lastBackupSeconds",
      (select extract(epoch from failed_at)::float8 from last_backup_failure) as "lastBackupFailureSeconds"
  `.execute(db);
  const condition = await evidenceLogStore(db).readCondition();
  const evidence = { ...condition, unstampedSeconds: isStamped ? condition.unstampedSeconds : null };
  return { jobs, messages: rows[0] as Messages, stored: stored[0] as (typeof stored)[number], evidence };
}
