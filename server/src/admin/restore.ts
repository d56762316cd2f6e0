import type { BackupAddress } from '../assemble.ts';
import { restoreBackup } from '../domain/backup/restore-backup.ts';
import { dateOf } from '../domain/keys/day-keys.ts';
import { addFrom, following, mirrorFrom, withPlace } from './backup-place.ts';
import { type AddCommand, examples, print } from './command.ts';
import { size } from './progress.ts';

interface RestoreOptions {
  readonly from: BackupAddress;
  readonly backup?: string;
  readonly dayKeys?: BackupAddress;
  readonly overwrite?: boolean;
  readonly sendWaiting?: boolean;
  readonly json?: boolean;
}

export const restoreCommand: AddCommand = (parent, withEngines) => {
  const restore = addFrom(
    parent
      .command('restore')
      .description('restore a backup into an empty database and an empty bucket, while no other process runs'),
  )
    .option(
      '--overwrite',
      'also if they are not empty: everything in the database is replaced, objects in the bucket are kept',
    )
    .option(
      '--send-waiting',
      'send the messages that were waiting when the backup was made, though they may have been sent since; otherwise they are given up, and `outbox retry` sends them',
    )
    .action((options: RestoreOptions) =>
      withEngines(
        ({ engines }) =>
          withPlace(engines, options.from, async (place, progress) => {
            const since = performance.now();
            const dayKeys = (await mirrorFrom(engines, options.dayKeys)) ?? new Map();
            const restored = await restoreBackup(engines, place, {
              id: options.backup,
              dayKeys,
              overwrite: options.overwrite ?? false,
              sendWaiting: options.sendWaiting ?? false,
              ...following(progress),
            });
            progress.clear();
            const { manifest, copied, missing, uploads, messages, ended, lostDays } = restored;
            const { id, taken_at: takenAt, files, absent } = manifest;
            print(
              options.json,
              {
                backup: id,
                taken_at: takenAt,
                files: files.files - absent.ended - absent.lost,
                copied_objects: copied.objects,
                copied_bytes: copied.bytes,
                missing_objects: missing,
                ended_since: ended,
                missing_day_keys: lostDays.map(({ day, files: count }) => ({ date: dateOf(day), files: count })),
                given_up_uploads: uploads,
                given_up_messages: messages,
                took_ms: Math.round(performance.now() - since),
              },
              [
                `Backup ${id} is restored: everything is as it was at ${takenAt}.`,
                `${copied.objects} objects copied (${size(copied.bytes)}), ${copied.kept} were there already, ${missing} are missing.`,
                `${uploads} uploads that were in progress and ${messages} messages that were waiting are given up.`,
                ...(ended > 0
                  ? [`${ended} files have ended since: the keys of their days are destroyed, and nobody can read them.`]
                  : []),
                ...lostDays.map(
                  ({ day, files: count }) => `The day key of ${dateOf(day)} is missing: ${count} files cannot be read.`,
                ),
                ...(lostDays.length > 0
                  ? ['Put them back from where `keys export` wrote to: waybilld admin keys import --from PLACE']
                  : []),
                ...(missing > 0 ? ['Find the files that cannot be read: waybilld admin scrub'] : []),
                ...(messages > 0
                  ? ['Send the messages again: waybilld admin outbox retry --all --reason "restored"']
                  : []),
              ],
            );
            if (missing > 0 || lostDays.length > 0) process.exitCode = 1;
          }),
        { migrateFirst: false },
      ),
    );
  examples(
    restore,
    'waybilld admin restore --from /var/backups/waybill --day-keys /var/backups/waybill-day-keys',
    'waybilld admin restore --from s3://waybill-backups/2026-11 --backup 20261116T021500123Z-3f9a --day-keys s3://waybill-day-keys --send-waiting',
  );
};
