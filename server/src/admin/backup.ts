import { isDeepStrictEqual } from 'node:util';
import { InvalidArgumentError } from 'commander';
import type { BackupAddress } from '../assemble/assemble.ts';
import { recordMaintenance } from '../domain/audit/record.ts';
import { makeBackup, runAlone } from '../domain/backup/make-backup.ts';
import { pruneBackups } from '../domain/backup/prune-backups.ts';
import { ExchangeError } from '../domain/exchange-error.ts';
import { listDayKeys } from '../domain/keys/examine-day-keys.ts';
import { placeAddress, reportProgress, untilKilled, withPlace } from './backup-place.ts';
import { type AddCommand, type AdminEngines, addExamples, print } from './command.ts';
import { exportLines, exportTo } from './day-keys.ts';
import { size } from './progress.ts';
import { addBackupVerify } from './verify-backup.ts';

const dayMs = 86_400_000;

interface BackupOptions {
  readonly to: BackupAddress;
  readonly dayKeys?: BackupAddress;
  readonly keepDays?: number;
  readonly json?: boolean;
}

/** The first ones are listed; they are enough to see what is wrong. */
const listed = 1_000;

export const backupCommands: AddCommand = (parent, withEngines) => {
  const backup = parent.command('backup').description('make a backup, or verify one');
  addExamples(
    backup,
    'waybilld admin backup --to /var/backups/waybill --day-keys /var/backups/waybill-day-keys',
    'waybilld admin backup verify --from /var/backups/waybill --day-keys /var/backups/waybill-day-keys',
  );
  addBackupVerify(backup, withEngines);
  const make = backup
    .command('make', { isDefault: true })
    .description(
      'back up the database and the stored files while everything keeps running; an object that is already there is not copied again. Keys are not included. Exits with 1 if objects are lost or cannot be read',
    )
    .requiredOption('--to <place>', 'a directory, or s3://BUCKET/PREFIX on the same S3 server', placeAddress)
    .option(
      '--day-keys <place>',
      'afterwards, export the day keys to this other place, as `day-keys export` does: without them a backup cannot be read',
      placeAddress,
    )
    .option(
      '--keep-days <days>',
      'afterwards, remove backups in this place that are older, and objects that no other backup there needs; the newest complete backup is always kept, and the newest that lacks no file',
      parseDays,
    )
    .option('--json', 'print JSON')
    .action((options: BackupOptions) =>
      withEngines((engines) =>
        runExclusively(engines, options.to, async (place, progress) => {
          if (isDeepStrictEqual(options.to, options.dayKeys)) throw new ExchangeError('invalid_input', ofItsOwn);
          const since = performance.now();
          const unreadable: string[] = [];
          const { manifest, copied } = await makeBackup(engines, place, {
            ...reportProgress(progress),
            onAbsent({ reason, object = '' }) {
              if (reason === 'unreadable' && unreadable.length < listed) unreadable.push(object);
            },
          });
          progress.clear();
          const details = { to: options.to, backup: manifest.id, files: manifest.files.files };
          await recordMaintenance(engines, engines.administrator, 'backup.made', details);
          const dayKeys = options.dayKeys && (await exportTo(engines, options.dayKeys));
          const lacksDayKeys = !dayKeys && (await listDayKeys(engines)).length > 0;
          const { id, files, absent, database } = manifest;
          const pruned =
            options.keepDays === undefined
              ? undefined
              : await pruneBackups(place, {
                  olderThan: new Date(Date.parse(manifest.taken_at) - options.keepDays * dayMs),
                  signal: untilKilled,
                });
          if (pruned && pruned.removed.length > 0) {
            const removed = { from: options.to, backups: pruned.removed };
            await recordMaintenance(engines, engines.administrator, 'backups.deleted', removed);
          }
          print(
            options.json,
            {
              backup: id,
              taken_at: manifest.taken_at,
              database_bytes: database.bytes,
              files: files.files,
              objects: files.objects,
              object_bytes: files.object_bytes,
              copied_objects: copied.objects,
              copied_bytes: copied.bytes,
              ended_files: absent.ended,
              lost_files: absent.lost,
              unreadable_files: absent.unreadable ?? 0,
              unreadable_objects: unreadable,
              day_keys_exported: dayKeys?.exported ?? null,
              removed_backups: pruned?.removed ?? [],
              removed_objects: pruned?.objects ?? 0,
              took_ms: Math.round(performance.now() - since),
            },
            [
              `Backup ${id} is complete: the database (${size(database.bytes)}) and ${files.files} files.`,
              `${copied.objects} objects copied (${size(copied.bytes)}), ${copied.kept} were there already.`,
              ...(absent.ended > 0 ? [`${absent.ended} files ended meanwhile and were left out.`] : []),
              ...(absent.lost > 0
                ? [`${absent.lost} files are damaged in the bucket and not in the backup. See: waybilld admin scrub`]
                : []),
              ...(absent.unreadable
                ? [
                    `${absent.unreadable} files are not in the backup, because the object store cannot read these objects:`,
                    ...unreadable.map((object) => `unreadable ${object}`),
                    'Repair them in the object store, and make another backup.',
                  ]
                : []),
              ...(pruned && pruned.removed.length > 0
                ? [
                    `${pruned.removed.length} older backups removed, and ${pruned.objects} objects that only they needed.`,
                  ]
                : []),
              ...(dayKeys ? exportLines(dayKeys) : []),
            ],
          );
          if (lacksDayKeys) process.stderr.write(`${dayKeysMissing}\n`);
          if (absent.lost > 0 || absent.unreadable || (dayKeys && dayKeys.lost.length > 0)) process.exitCode = 1;
        }),
      ),
    );
  addExamples(
    make,
    'waybilld admin backup make --to /var/backups/waybill --day-keys /var/backups/waybill-day-keys',
    'waybilld admin backup make --to s3://waybill-backups/daily --keep-days 30 --json',
  );
};

const ofItsOwn =
  'Day keys must not be in the place of the backups: with old copies of them, files that have ended could be read again. Name another place.';
const dayKeysMissing =
  'The files of this backup cannot be read without the day keys. Export them now, to another place: waybilld admin day-keys export --to PLACE';

async function runExclusively(
  engines: AdminEngines,
  address: BackupAddress,
  work: Parameters<typeof withPlace>[2],
): Promise<void> {
  const done = await runAlone(engines, JSON.stringify(address), async () => {
    try {
      await withPlace(engines, address, work);
    } catch (error) {
      // The error names the cause; without a database, the metric of the last complete backup shows it later.
      await engines.database.recordBackupFailure().catch(() => undefined);
      throw error;
    }
    return true;
  });
  if (done) return;
  throw new ExchangeError('precondition_failed', 'Another backup to this place is running. Wait until it has ended.');
}

function parseDays(value: string): number {
  if (!/^[1-9]\d{0,4}$/.test(value)) throw new InvalidArgumentError('Use a number of days, 1 or more.');
  return Number(value);
}
