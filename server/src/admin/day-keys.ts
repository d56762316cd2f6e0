import type { BackupAddress } from '../assemble.ts';
import { recordMaintenance } from '../domain/audit/record-maintenance.ts';
import { type Exported, exportDayKeys, importDayKeys } from '../domain/backup/day-key-mirror.ts';
import { toDate } from '../domain/keys/day-keys.ts';
import { openMirror, placeAddress, usePlace } from './backup-place.ts';
import { type AddCommand, type AdminContext, addExamples, print } from './command.ts';

export const dayKeyCommands: AddCommand = (parent, withEngines) => {
  const keys = parent
    .command('day-keys')
    .description('copy the day keys, which wrap the keys of the files that end on a day, and put them back');
  addExamples(
    keys,
    'waybilld admin day-keys export --to /var/backups/waybill-day-keys',
    'waybilld admin day-keys import --from /var/backups/waybill-day-keys',
  );

  const exporting = keys
    .command('export')
    .description(
      'copy the day keys, which no backup contains, to a place of their own, and remove from it those that are destroyed. They are wrapped by the master keys. Exits with 1 if the bucket has lost any',
    )
    .requiredOption('--to <place>', 'a directory, or s3://BUCKET/PREFIX on the same S3 server', placeAddress)
    .option('--json', 'print JSON')
    .action((options: { to: BackupAddress; json?: boolean }) =>
      withEngines(async ({ engines }) => {
        const result = await exportTo(engines, options.to);
        print(options.json, result, exportLines(result));
        if (result.lost.length > 0) process.exitCode = 1;
      }),
    );
  addExamples(
    exporting,
    'waybilld admin day-keys export --to /var/backups/waybill-day-keys',
    'waybilld admin day-keys export --to s3://waybill-day-keys --json',
  );

  const importing = keys
    .command('import')
    .description(
      'put day keys back that stored files need and the bucket does not have. Exits with 1 if some are not in the place either',
    )
    .requiredOption(
      '--from <place>',
      'a directory, or s3://BUCKET/PREFIX, that `day-keys export` wrote to',
      placeAddress,
    )
    .option('--json', 'print JSON')
    .action((options: { from: BackupAddress; json?: boolean }) =>
      withEngines(async ({ engines }) => {
        const { imported, lost } = await importDayKeys(engines, (await openMirror(engines, options.from)) ?? new Map());
        if (imported.length > 0) {
          const dates = imported.map(toDate);
          await recordMaintenance(engines, engines.administrator, 'day_keys.imported', { dates });
        }
        const missing = lost.map(({ day, files }) => ({ date: toDate(day), files }));
        print(options.json, { imported: imported.length, missing }, [
          `${imported.length} day keys put back.`,
          ...missing.map(({ date, files }) => `The day key of ${date} is missing: ${files} files cannot be read.`),
        ]);
        if (missing.length > 0) process.exitCode = 1;
      }),
    );
  addExamples(importing, 'waybilld admin day-keys import --from /var/backups/waybill-day-keys');
};

export async function exportTo(engines: AdminContext['engines'], address: BackupAddress): Promise<Exported> {
  const exported = await usePlace(engines, address, (place) => exportDayKeys(engines, place));
  const details = { to: address, dayKeys: exported.exported };
  await recordMaintenance(engines, engines.administrator, 'day_keys.exported', details);
  return exported;
}

export function exportLines({ exported, removed, lost }: Exported): string[] {
  return [
    `${exported} day keys exported; ${removed} removed that have been destroyed since.`,
    ...(lost.length > 0
      ? [`Lost in the bucket: ${lost.join(', ')}. Put them back: waybilld admin day-keys import --from PLACE`]
      : []),
  ];
}
