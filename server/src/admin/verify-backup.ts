import type { BackupAddress } from '../assemble/assemble.ts';
import { verifyBackup } from '../domain/backup/verify-backup.ts';
import { addPlaceOption, openMirror, untilKilled, withPlace } from './backup-place.ts';
import { type AddCommand, addExamples, print } from './command.ts';
import { size } from './progress.ts';

/** The first ones are listed; they are enough to see what is wrong. */
const listed = 1_000;

export const addBackupVerify: AddCommand = (backup, withEngines) => {
  const verify = addPlaceOption(
    backup
      .command('verify')
      .description(
        'read a backup completely and check that it can be restored: digests, keys, and that every object opens. Changes nothing. Exits with 1 if a file is damaged',
      ),
  ).action((options: { from: BackupAddress; backup?: string; dayKeys?: BackupAddress; json?: boolean }) =>
    withEngines(
      (engines) =>
        withPlace(engines, options.from, async (place, progress) => {
          const damaged: { file: string; object: string; problem: string }[] = [];
          let count = 0;
          const {
            manifest,
            files,
            bytes,
            ended: endedSince,
          } = await verifyBackup(engines, place, {
            id: options.backup,
            dayKeys: await openMirror(engines, options.dayKeys),
            signal: untilKilled,
            onDamage(file, damage) {
              count += 1;
              if (damaged.length < listed) damaged.push({ file: file.id, ...damage });
            },
            onProgress: (now) => progress.show(() => `${now.files} files, ${size(now.bytes)} read`),
          });
          progress.clear();
          const { id, taken_at: takenAt, absent } = manifest;
          const { ended, lost } = absent;
          print(
            options.json,
            {
              backup: id,
              taken_at: takenAt,
              files,
              bytes,
              ended_files: ended,
              ended_since: endedSince,
              lost_files: lost,
              damaged: count,
              problems: damaged,
            },
            [
              `Backup ${id}: ${files} files (${size(bytes)}) read, ${count} damaged, ${lost} lost before it was made.`,
              ...(endedSince > 0
                ? [
                    `${endedSince} files have ended since: the keys of their days are destroyed, and nobody can read them.`,
                  ]
                : []),
              ...damaged.map(({ object, problem }) => `${problem.padEnd(8)} ${object}`),
            ],
          );
          if (count > 0) process.exitCode = 1;
        }),
      { migrateFirst: false },
    ),
  );
  addExamples(
    verify,
    'waybilld admin backup verify --from /var/backups/waybill --day-keys /var/backups/waybill-day-keys',
    'waybilld admin backup verify --from s3://waybill-backups/2026-11 --backup 20261116T021500123Z-3f9a --day-keys s3://waybill-day-keys --json',
  );
};
