import { type AddCommand, print } from './command.ts';

export const migrateCommand: AddCommand = (parent, withEngines) => {
  parent
    .command('migrate')
    .description('bring the database up to this program; serve and work do so too when they start')
    .option('--json', 'answer as JSON')
    .action((options: { json?: boolean }) =>
      withEngines(
        async ({ engines }) => {
          const applied = await engines.migrate();
          print(
            options.json,
            { applied },
            applied.length === 0 ? ['Nothing to do.'] : applied.map((name) => `applied ${name}`),
          );
        },
        { migrateFirst: false },
      ),
    );
};
