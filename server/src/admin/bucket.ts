import { type AddCommand, addExamples, print } from './command.ts';

export const bucketCommand: AddCommand = (parent, withEngines) => {
  const bucket = parent.command('bucket').description('the bucket that WAYBILL_S3_BUCKET names');
  const create = bucket
    .command('create')
    .description('create the bucket unless it exists, with the keys of Waybill, which need permission to do so')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      withEngines(
        async ({ engines }) => {
          const created = await engines.createBucket();
          print(options.json, { created }, [created ? 'The bucket was created.' : 'The bucket exists already.']);
        },
        // The database may be the next thing that is missing.
        { migrateFirst: false },
      ),
    );
  for (const command of [bucket, create]) addExamples(command, 'waybilld admin bucket create');
};
