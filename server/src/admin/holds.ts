import { findAccount } from '../domain/accounts/find-account.ts';
import type { Hold } from '../domain/holds/hold-store.ts';
import { placeHold } from '../domain/holds/place-hold.ts';
import { releaseHold } from '../domain/holds/release-hold.ts';
import { type AddCommand, addExamples, parseId, print, printPages } from './command.ts';

const holdsPerPage = 500;
const exampleDrop = '01a1dca1-b6e4-73d7-b45e-3306c96c241d';

interface PlaceOptions {
  account: string;
  drop?: string;
  name: string;
  reason: string;
  by?: string;
  json?: boolean;
}

export const holdCommands: AddCommand = (parent, withEngines) => {
  const holds = parent.command('holds').description('keep drops or whole accounts from being deleted: legal holds');
  addExamples(holds, 'waybilld admin holds list', 'waybilld admin holds place --help');
  const by = ['--by <name>', 'who decided it, if not the user who runs the command'] as const;

  const place = holds
    .command('place')
    .description('keep everything of an account, or of one of its drops, until the hold is released')
    .requiredOption('--account <address>', 'the account')
    .option('--drop <id>', 'only this drop, by its id as `drops list` shows it', parseId('drops list'))
    .requiredOption('--name <name>', 'what the hold is known by, such as a file number')
    .requiredOption('--reason <text>', 'why')
    .option(...by)
    .option('--json', 'print JSON')
    .action((options: PlaceOptions) =>
      withEngines(async ({ engines }) => {
        const account = await findAccount(engines, options.account);
        const { by: decidedBy = engines.administrator.id, ...hold } = options;
        const id = await placeHold(engines, account, { ...hold, by: decidedBy, dropId: options.drop ?? null });
        print(options.json, { placed: id }, [
          `Hold ${id} is in force: ${options.drop ? `drop ${options.drop}` : `everything of ${account.email}`} is kept until it is released.`,
        ]);
      }),
    );
  addExamples(
    place,
    'waybilld admin holds place --account orders@example.org --name "Case 2026-17" --reason "Order of the court"',
    `waybilld admin holds place --account orders@example.org --drop ${exampleDrop} --name "Case 2026-17" --reason "Order of the court" --by "Anna Berg"`,
  );

  const list = holds
    .command('list')
    .description('list the holds in force, oldest first')
    .option('--account <address>', 'only those of this account')
    .option('--released', 'also those that were released')
    .option('--json', 'print one JSON array')
    .action((options: { account?: string; released?: boolean; json?: boolean }) =>
      withEngines(async ({ engines }) => {
        const account = options.account === undefined ? undefined : await findAccount(engines, options.account);
        const filter = { accountId: account?.id, released: options.released === true };
        await printPages(
          options.json,
          (after?: Hold) => engines.store.holds.page(filter, after, holdsPerPage),
          (hold) => ({
            id: hold.id,
            account: hold.account,
            drop: hold.dropId,
            name: hold.name,
            reason: hold.reason,
            placed: new Date(hold.placedAt),
            placed_by: hold.placedBy,
            released: hold.releasedAt,
            released_by: hold.releasedBy,
          }),
          (hold) =>
            `${hold.id}  ${hold.placed.toISOString()}  ${hold.account}  ${hold.drop ?? 'everything'}  ${hold.name}: ${hold.reason} (${hold.placed_by})${hold.released ? `  released ${hold.released.toISOString()} (${hold.released_by})` : ''}`,
          options.released ? 'There are no holds.' : 'No hold is in force.',
        );
      }),
    );
  addExamples(
    list,
    'waybilld admin holds list',
    'waybilld admin holds list --account orders@example.org --released --json',
  );

  const release = holds
    .command('release')
    .description('release a hold: what has ended and no other hold keeps is deleted by the next sweep')
    .argument('<hold>', 'its id, as `holds list` shows it', parseId('holds list'))
    .option(...by)
    .option('--json', 'print JSON')
    .action((id: string, options: { by?: string; json?: boolean }) =>
      withEngines(async ({ engines }) => {
        await releaseHold(engines, id, options.by ?? engines.administrator.id);
        print(options.json, { released: id }, [`Hold ${id} is released.`]);
      }),
    );
  addExamples(release, 'waybilld admin holds release 01a1dca2-0f4e-7a31-9c55-5b1e7d2f4c10');
};
