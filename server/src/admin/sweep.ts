import { sweep } from '../domain/sweep.ts';
import { type AddCommand, print } from './command.ts';

export const sweepCommand: AddCommand = (parent, withEngines) => {
  parent
    .command('sweep')
    .description('do now what workers do every minute: end what is due and delete its objects')
    .option('--json', 'answer as JSON')
    .action((options: { json?: boolean }) =>
      withEngines(async ({ engines }) => {
        const swept = await sweep(engines);
        print(options.json, swept, [
          `${swept.drops} drops ended, ${swept.drafts} drafts dropped, ${swept.files} files and ${swept.objects} objects deleted.`,
        ]);
      }),
    );
};
