import { type AddCommand, type AdminEngines, addExamples, print } from './command.ts';

const upToDate = 'The schema is up to date.';

export const migrateCommand: AddCommand = (parent, withEngines) => {
  const migrate = parent
    .command('migrate')
    .description(
      'bring the database’s schema up to date; serve, work and all other commands do so too when they start, but no other command creates it in an empty database',
    )
    .option(
      '--plan',
      'only show what would be applied, and whether the version that runs now could still run afterwards',
    )
    .option('--json', 'print JSON')
    .action((options: { plan?: boolean; json?: boolean }) =>
      withEngines(
        async (engines) => {
          if (options.plan) {
            const pending = await engines.planMigrations();
            print(options.json, { pending }, describePlan(pending));
            return;
          }
          const applied = await engines.migrate(engines.administrator);
          const lines = applied.map((name) => `Applied ${name}.`);
          print(options.json, { applied }, lines.length === 0 ? [upToDate] : lines);
        },
        { migrateFirst: false },
      ),
    );
  addExamples(migrate, 'waybilld admin migrate', 'waybilld admin migrate --plan');
};

type Plan = Awaited<ReturnType<AdminEngines['planMigrations']>>;

/** The lines that describe it to an operator. */
export function describePlan(pending: Plan): string[] {
  if (pending.length === 0) return [upToDate];
  // Processes that run on this database now know the applied migrations, and nothing of the pending ones.
  const breaking = pending.filter(({ contractSince }) => pending.some(({ name }) => name === contractSince));
  return [
    ...pending.map(({ name, purpose, isConcurrent, contractSince }) => {
      const contract = contractSince && ` (versions without ${contractSince} do not run after it)`;
      const how = isConcurrent ? ' (builds indexes while tables are in use)' : '';
      return `${name}${contract ?? how}  ${purpose}`.trimEnd();
    }),
    breaking.length === 0
      ? 'The version that runs now can run during these changes and after them.'
      : `The version that runs now does not run after ${breaking.map(({ name }) => name).join(', ')}: install the versions in between first, or stop all its processes.`,
  ];
}
