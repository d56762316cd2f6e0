import { findAccount } from '../domain/accounts/read-accounts.ts';
import { listHolds, placeHold, releaseHold } from '../domain/holds/change-holds.ts';
import type { Hold } from '../domain/holds/hold-store.ts';
import { type AddCommand, addExamples, parseId, print } from './command.ts';
import { addListOptions, type ListOptions, printList, readPages } from './list.ts';
import { findNamedDrop, parseDropName } from './named-drop.ts';

const holdsPerPage = 500;
const exampleDrop = 'WB-7F3K-29QD';

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
    .option('--drop <drop>', 'only this drop: its reference, such as WB-7F3K-29QD, or its id', parseDropName)
    .requiredOption('--name <name>', 'what the hold is known by, such as a file number')
    .requiredOption('--reason <text>', 'why')
    .option(...by)
    .option('--json', 'print JSON')
    .action((options: PlaceOptions) =>
      withEngines(async (engines) => {
        const account = await findAccount(engines, options.account);
        const { by: decidedBy = engines.administrator.id, drop, ...hold } = options;
        const dropId = drop === undefined ? null : (await findNamedDrop(engines, drop, account.email)).dropId;
        const id = await placeHold(engines, account, { ...hold, by: decidedBy, dropId });
        print(options.json, { placed: id }, [
          `Hold ${id} is in force: ${drop ? `drop ${drop}` : `everything of ${account.email}`} is kept until it is released.`,
        ]);
      }),
    );
  addExamples(
    place,
    'waybilld admin holds place --account orders@example.org --name "Case 2026-17" --reason "Order of the court"',
    `waybilld admin holds place --account orders@example.org --drop ${exampleDrop} --name "Case 2026-17" --reason "Order of the court" --by "Anna Berg"`,
  );

  const list = addListOptions(
    holds
      .command('list')
      .description('list the holds in force, oldest first')
      .option('--account <address>', 'only those of this account')
      .option('--released', 'also those that were released'),
  ).action((options: ListOptions & { account?: string; released?: boolean }) =>
    withEngines(async (engines) => {
      const account = options.account === undefined ? undefined : await findAccount(engines, options.account);
      const filter = { accountId: account?.id, released: options.released === true };
      await printList(options, {
        rows: readPages((after?: Hold) => listHolds(engines, filter, after, holdsPerPage)),
        toShown: (hold) => ({
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
        columns: {
          ID: ({ id }) => id,
          PLACED: ({ placed }) => placed.toISOString(),
          ACCOUNT: ({ account: held }) => held,
          DROP: ({ drop }) => drop ?? 'everything',
          BY: ({ placed_by: placedBy }) => placedBy,
          RELEASED: ({ released, released_by: releasedBy }) => released && `${released.toISOString()} (${releasedBy})`,
          REASON: ({ name, reason }) => `${name}: ${reason}`,
        },
        none: options.released ? 'There are no holds.' : 'No hold is in force.',
      });
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
      withEngines(async (engines) => {
        await releaseHold(engines, id, options.by ?? engines.administrator.id);
        print(options.json, { released: id }, [`Hold ${id} is released.`]);
      }),
    );
  addExamples(release, 'waybilld admin holds release 01a1dca2-0f4e-7a31-9c55-5b1e7d2f4c10');
};
