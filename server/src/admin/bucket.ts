import { listLogs } from '../domain/evidence/read-log.ts';
import { ExchangeError } from '../domain/exchange-error.ts';
import { listDayKeys } from '../domain/keys/examine-day-keys.ts';
import { type AddCommand, type AdminEngines, addExamples, print } from './command.ts';

export const bucketCommand: AddCommand = (parent, withEngines) => {
  const bucket = parent.command('bucket').description('the bucket that WAYBILL_S3_BUCKET names');
  const create = bucket
    .command('create')
    .description(
      'create the bucket unless it exists, with the keys of Waybill, which need permission to do so. Refused if the database belongs to another bucket',
    )
    .option('--for-restore', 'also if the database belongs to another bucket, for a restore into a new one')
    .option('--json', 'print JSON')
    .action((options: { forRestore?: boolean; json?: boolean }) =>
      withEngines(
        async (engines) => {
          const created = await engines.createBucket(async () => {
            if (!options.forRestore) await requireNoBucket(engines);
          });
          print(options.json, { created }, [created ? 'The bucket was created.' : 'The bucket exists already.']);
        },
        // The database may be the next thing that is missing.
        { migrateFirst: false },
      ),
    );
  for (const command of [bucket, create]) addExamples(command, 'waybilld admin bucket create');
};

/** An empty bucket in place of the one with the day keys and the log would look well, and take no upload. */
async function requireNoBucket(engines: Pick<AdminEngines, 'store'>): Promise<void> {
  // A database that is away, is being restored or has no tables yet is no reason to refuse.
  const days = await listDayKeys(engines).catch(() => []);
  const logs = await listLogs(engines).catch(() => []);
  if (days.length === 0 && logs.every(({ publishedSize }) => publishedSize === 0)) return;
  throw new ExchangeError(
    'precondition_failed',
    'The database belongs to another bucket: correct WAYBILL_S3_BUCKET. To restore a backup into a new bucket, run `waybilld admin bucket create --for-restore`.',
  );
}
