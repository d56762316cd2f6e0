import type { BackupAddress } from '../assemble.ts';
import { type Exported, exportDayKeys, importDayKeys } from '../domain/keys/day-key-mirror.ts';
import { dateOf } from '../domain/keys/day-keys.ts';
import { rotateMasterKey } from '../domain/keys/rotate-master-key.ts';
import { inPlace, mirrorFrom, placeAddress } from './backup-place.ts';
import { type AddCommand, type AdminContext, examples, print } from './command.ts';
import { Progress } from './progress.ts';

/** Commands of `keys`. */
export const dayKeyCommands: AddCommand = (keys, withEngines) => {
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
  examples(
    exporting,
    'waybilld admin keys export --to /var/backups/waybill-day-keys',
    'waybilld admin keys export --to s3://waybill-day-keys --json',
  );

  const importing = keys
    .command('import')
    .description(
      'put day keys back that stored files need and the bucket does not have. Exits with 1 if some are not in the place either',
    )
    .requiredOption('--from <place>', 'a directory, or s3://BUCKET/PREFIX, that `keys export` wrote to', placeAddress)
    .option('--json', 'print JSON')
    .action((options: { from: BackupAddress; json?: boolean }) =>
      withEngines(async ({ engines }) => {
        const { imported, lost } = await importDayKeys(engines, (await mirrorFrom(engines, options.from)) ?? new Map());
        const missing = lost.map(({ day, files }) => ({ date: dateOf(day), files }));
        print(options.json, { imported, missing }, [
          `${imported} day keys put back.`,
          ...missing.map(({ date, files }) => `The day key of ${date} is missing: ${files} files cannot be read.`),
        ]);
        if (missing.length > 0) process.exitCode = 1;
      }),
    );
  examples(importing, 'waybilld admin keys import --from /var/backups/waybill-day-keys');

  const byDay = keys
    .command('by-day')
    .description(
      'after an upgrade from a version without day keys: from now on, wrap the keys of files by the day on which they end, and do so for all that are stored. Run it once, when no process of the earlier version is running: it could not read these files',
    )
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      withEngines(async ({ engines }) => {
        await engines.store.dayKeys.start();
        const replaced = await wrapAgain(engines);
        print(options.json, { replaced }, [
          `The keys of files are wrapped by day. ${replaced} keys wrapped again.`,
          'Day keys are in no backup. Copy them after each: waybilld admin keys export --to PLACE',
        ]);
      }),
    );
  examples(byDay, 'waybilld admin keys by-day');
};

export function exportTo(engines: AdminContext['engines'], address: BackupAddress): Promise<Exported> {
  return inPlace(engines, address, (place) => exportDayKeys(engines, place));
}

export function exportLines({ exported, removed, lost }: Exported): string[] {
  return [
    `${exported} day keys exported; ${removed} removed that have been destroyed since.`,
    ...(lost.length > 0
      ? [`Lost in the bucket: ${lost.join(', ')}. Put them back: waybilld admin keys import --from PLACE`]
      : []),
  ];
}

/** Wraps stored keys by the current keys, and shows how far it is. Returns how many. */
export async function wrapAgain(engines: AdminContext['engines']): Promise<number> {
  const progress = new Progress();
  const replaced = await rotateMasterKey(
    engines,
    (count) => progress.show(() => `${count} keys wrapped again`),
    (key) => {
      progress.clear();
      process.stderr.write(
        `Lost, and passed over: ${key}. Put day keys back: waybilld admin keys import --from PLACE\n`,
      );
    },
  );
  progress.clear();
  return replaced;
}
