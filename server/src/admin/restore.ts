import type { Command } from 'commander';
import type { BackupAddress } from '../assemble/assemble.ts';
import { countLeftOut } from '../domain/backup/format.ts';
import { type RestoreResult, restoreBackup } from '../domain/backup/restore-backup.ts';
import type { Finding } from '../domain/doctor/finding.ts';
import { toDate } from '../domain/keys/day-keys.ts';
import { addPlaceOption, openMirror, reportProgress, withPlace } from './backup-place.ts';
import { addExamples, print, type WithEngines } from './command.ts';
import { describeLost } from './day-keys.ts';
import { type Diagnose, summarize, toLines } from './doctor.ts';
import { size } from './progress.ts';

interface RestoreOptions {
  readonly from: BackupAddress;
  readonly backup?: string;
  readonly dayKeys?: BackupAddress;
  readonly overwrite?: boolean;
  readonly sendWaiting?: boolean;
  readonly json?: boolean;
}

/** Tasks that were due since the backup was made are done by `work`, which does not run yet. */
const leftToWork = new Set(['work.running', 'audit.delivery']);

/** Restores a backup, and ends by running the doctor on these parts. */
export function restoreCommand(
  parent: Command,
  withEngines: WithEngines,
  { diagnose, parts }: { readonly diagnose: Diagnose; readonly parts: readonly string[] },
): void {
  const restore = addPlaceOption(
    parent
      .command('restore')
      .description(
        'restore a backup into an empty database and an empty bucket, while no other process runs, and run the doctor. If it is interrupted, run it again; until it is complete, no other process starts. Exits with 1 if anything is missing or the doctor finds a fault',
      ),
  )
    .option(
      '--overwrite',
      'also if they are not empty: everything in the database is replaced, and objects in the bucket that no restored file needs are deleted',
    )
    .option(
      '--send-waiting',
      'send the messages that were waiting when the backup was made, though they may have been sent since; otherwise they are abandoned, and `outbox retry` sends them',
    )
    .action((options: RestoreOptions) =>
      withEngines(
        (engines) =>
          withPlace(engines, options.from, async (place, progress) => {
            const since = performance.now();
            const dayKeys = (await openMirror(engines, options.dayKeys)) ?? new Map();
            const { onStep, ...following } = reportProgress(progress);
            const restored = await restoreBackup(engines, place, {
              id: options.backup,
              dayKeys,
              overwrite: options.overwrite ?? false,
              sendWaiting: options.sendWaiting ?? false,
              onStep,
              ...following,
            });
            onStep('asking the doctor');
            const findings = (await diagnose({ parts })).filter(({ check }) => !leftToWork.has(check));
            progress.clear();
            const isDone = countMissing(restored) === 0 && !findings.some(({ status }) => status === 'fault');
            const tookMs = Math.round(performance.now() - since);
            print(options.json, { ...toJson(restored), ...toTrouble(findings), took_ms: tookMs }, [
              ...describe(restored, isDone),
              ...toLines(findings.filter(({ status }) => status === 'fault' || status === 'warning')),
              '',
              `The doctor: ${summarize(findings)}`,
              isDone
                ? 'Done. Start the processes: docs/backup.md, “Restoring”.'
                : 'Not done. Do what is said above, and run: waybilld admin doctor',
            ]);
            if (!isDone) process.exitCode = 1;
          }),
        { migrateFirst: false, role: 'restore' },
      ),
    );
  addExamples(
    restore,
    'waybilld admin restore --from /var/backups/waybill --day-keys /var/backups/waybill-day-keys',
    'waybilld admin restore --from s3://waybill-backups/2026-11 --backup 20261116T021500123Z-3f9a --day-keys s3://waybill-day-keys --send-waiting',
  );
}

const countMissing = ({ missing, lostDays, unnamed, damagedEpochs }: RestoreResult) =>
  missing + lostDays.length + unnamed.undeleted.length + damagedEpochs.length;

function toTrouble(findings: readonly Finding[]) {
  const select = (wanted: Finding['status']) =>
    findings.filter(({ status }) => status === wanted).map(({ status: _, ...finding }) => finding);
  return { faults: select('fault'), warnings: select('warning') };
}

function toJson(restored: RestoreResult) {
  const { manifest, copied, missing, uploads, messages, ended, lostDays, unnamed, epoch, damagedEpochs } = restored;
  const { id, taken_at: takenAt, files, absent } = manifest;
  return {
    backup: id,
    taken_at: takenAt,
    files: files.files - absent.ended - countLeftOut(manifest),
    copied_objects: copied.objects,
    copied_bytes: copied.bytes,
    missing_objects: missing,
    lost_files: absent.lost,
    unreadable_files: absent.unreadable ?? 0,
    ended_since: ended,
    missing_day_keys: lostDays.map(({ day, files: count }) => ({ date: toDate(day), files: count })),
    abandoned_uploads: uploads,
    abandoned_messages: messages,
    deleted_objects: unnamed.deleted,
    deleted_day_keys: unnamed.dayKeysDeleted,
    kept_day_keys: unnamed.dayKeysKept,
    undeleted_objects: unnamed.undeleted,
    log_epoch: epoch ?? null,
    damaged_epochs: damagedEpochs,
  };
}

function describe(restored: RestoreResult, isDone: boolean): string[] {
  const { manifest, copied, missing, uploads, messages, ended, lostDays, unnamed, epoch, damagedEpochs } = restored;
  const { id, taken_at: takenAt } = manifest;
  const leftOut = countLeftOut(manifest);
  return [
    isDone
      ? `Backup ${id} is restored: everything is as it was at ${takenAt}.`
      : `Backup ${id} of ${takenAt} is in place, and something is missing or wrong.`,
    `${copied.objects} objects copied (${size(copied.bytes)}), ${copied.kept} were there already, ${missing} are missing.`,
    `${uploads} uploads that were in progress and ${messages} messages that were waiting are abandoned.`,
    ...(unnamed.deleted + unnamed.dayKeysDeleted > 0
      ? [
          `${unnamed.deleted} objects and ${unnamed.dayKeysDeleted} day keys that nothing in the backup needs are deleted from the bucket.`,
        ]
      : []),
    ...(unnamed.dayKeysKept > 0
      ? [`${unnamed.dayKeysKept} day keys that nothing names are kept, because day keys are missing.`]
      : []),
    ...unnamed.undeleted.map((object) => `The object store does not delete ${object}: delete it there.`),
    ...(ended > 0
      ? [`${ended} files have ended since: the keys of their days are destroyed, and nobody can read them.`]
      : []),
    ...(epoch === undefined
      ? []
      : [`Epoch ${epoch} of the evidence log has started. Give everyone who verifies receipts the new /log/policy.`]),
    ...damagedEpochs.map(
      (one) =>
        `The entries of epoch ${one} of the evidence log are not those that were signed: it is not published again.`,
    ),
    ...lostDays.map(describeLost),
    ...(lostDays.length > 0
      ? ['Put them back from where `day-keys export` wrote to: waybilld admin day-keys import --from PLACE']
      : []),
    ...(leftOut > 0
      ? [`${leftOut} files are not in this backup, because their objects were lost or unreadable when it was made.`]
      : []),
    ...(missing + leftOut > 0 ? ['Find the files that cannot be read: waybilld admin scrub'] : []),
    ...(messages > 0 ? ['Send the messages again: waybilld admin outbox retry --all --reason "restored"'] : []),
  ];
}
