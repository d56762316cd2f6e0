import type { BackupAddress } from '../assemble/assemble.ts';
import { recordMaintenance } from '../domain/audit/record.ts';
import type { NamedDay } from '../domain/backup/database-copies.ts';
import { type Exported, exportDayKeys, importDayKeys, removeDayKeys } from '../domain/backup/day-key-mirror.ts';
import { ExchangeError } from '../domain/exchange-error.ts';
import { toDate } from '../domain/keys/day-keys.ts';
import { openMirror, placeAddress, usePlace } from './backup-place.ts';
import { type AddCommand, type AdminEngines, addExamples, print } from './command.ts';

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
      withEngines(async (engines) => {
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
      'put day keys back that the database names and the bucket does not have. Those that are not in the place either, and that nothing uses, are replaced while no other process runs. Exits with 1 if some are still missing',
    )
    .requiredOption(
      '--from <place>',
      'a directory, or s3://BUCKET/PREFIX, that `day-keys export` wrote to',
      placeAddress,
    )
    .option(
      '--end-files',
      'also end the files, drops and requests whose day keys are not in the place either, which nobody can read any more',
    )
    .option('--json', 'print JSON')
    .action((options: { from: BackupAddress; endFiles?: boolean; json?: boolean }) =>
      withEngines(async (engines) => {
        const { database } = engines;
        const { imported, lost } = await importDayKeys(engines, (await openMirror(engines, options.from)) ?? new Map());
        const isReplaceable = ({ isUsed }: NamedDay) => !isUsed || options.endFiles;
        const replaceable = lost.filter(isReplaceable);
        const obstacle = replaceable.length > 0 ? await findObstacle(database) : undefined;
        const replaced = obstacle === undefined ? replaceable : [];
        for (const { day, isUsed } of replaced) if (isUsed) await database.endFilesOfDay(day);
        await removeDayKeys(
          engines,
          replaced.map(({ day }) => day),
        );
        if (imported.length + replaced.length > 0) {
          const details = { dates: imported.map(toDate), replaced: replaced.map(({ day }) => toDate(day)) };
          await recordMaintenance(engines, engines.administrator, 'day_keys.imported', details);
        }
        const missing = lost.filter((named) => !replaced.includes(named));
        print(
          options.json,
          {
            imported: imported.length,
            replaced: replaced.map(({ day, files }) => ({ date: toDate(day), files })),
            missing: missing.map(({ day, files, isUsed }) => ({ date: toDate(day), files, is_used: isUsed })),
          },
          [
            `${imported.length} day keys put back.`,
            ...replaced.map((named) => `${describeLost(named)} The day gets a new key when it needs one.`),
            ...missing.map(describeLost),
            ...(missing.some((named) => !isReplaceable(named)) ? [endFilesHint] : []),
            ...(obstacle === undefined ? [] : [`They can only be replaced while no other process runs. ${obstacle}`]),
          ],
        );
        if (missing.length > 0) process.exitCode = 1;
      }),
    );
  addExamples(
    importing,
    'waybilld admin day-keys import --from /var/backups/waybill-day-keys',
    'waybilld admin day-keys import --from /var/backups/waybill-day-keys --end-files',
  );
};

const endFilesHint =
  'Until these keys are back, nothing that ends on their days can be uploaded or sent. Look for a newer copy of them. If there is none, stop all `serve` and `work` processes, and end what they have wrapped: waybilld admin day-keys import --from PLACE --end-files';

export function describeLost({ day, files, isUsed }: NamedDay): string {
  const subject = `The day key of ${toDate(day)} is missing`;
  if (files > 0) return `${subject}: ${files} files cannot be read.`;
  return isUsed ? `${subject}: links of drops or requests cannot be sent again.` : `${subject}; nothing uses it.`;
}

/** Undefined if neither `serve` nor `work` runs. */
async function findObstacle(database: AdminEngines['database']): Promise<string | undefined> {
  try {
    await database.requireAlone();
    return undefined;
  } catch (error) {
    if (!(error instanceof ExchangeError) || error.code !== 'precondition_failed') throw error;
    return error.message;
  }
}

export async function exportTo(engines: AdminEngines, address: BackupAddress): Promise<Exported> {
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
