import type pg from 'pg';
import type { Finding } from '../../domain/doctor/finding.ts';
import { ok, warning } from '../../domain/doctor/finding.ts';

const check = 'backup.last';
/** As in the alert WaybillBackupOld. */
const oldHours = 48;
/** An installation may be tried before anything in it matters. */
const firstHours = 7 * 24;
const remedy =
  'Make one by hand, which says why it fails: waybilld admin backup make --to PLACE --day-keys PLACE. docs/backup.md describes how to make one every night.';

interface LastBackup {
  /** The moment of the database in it. */
  readonly takenAt: Date | null;
  readonly hours: number | null;
  /** Null if one has succeeded since. */
  readonly failedAt: Date | null;
  readonly installedHours: number | null;
}

/** Judges the age of the last backup, and whether one has failed since; undefined if none is expected yet. */
export async function examineBackups(pool: pg.Pool): Promise<Finding | undefined> {
  const { rows } = await pool.query<LastBackup>(`
    select taken_at as "takenAt", extract(epoch from now() - taken_at)::float8 / 3600 as hours,
      (select failed_at from last_backup_failure where failed_at > coalesce(taken_at, '-infinity')) as "failedAt",
      (select extract(epoch from now() - min(applied_at))::float8 / 3600 from migrations) as "installedHours"
    from (values (1)) as one left join last_backup on true`);
  const { takenAt = null, hours = null, failedAt = null, installedHours = null } = rows[0] ?? {};
  const last = takenAt === null ? 'There is no backup.' : `The last backup is of ${takenAt.toISOString()}.`;
  if (failedAt) return warning(check, `The backup at ${failedAt.toISOString()} failed. ${last}`, remedy);
  if (hours === null) return (installedHours ?? 0) > firstHours ? warning(check, last, remedy) : undefined;
  return hours > oldHours ? warning(check, last, remedy) : ok(check, last);
}
