import { findAccount } from '../domain/accounts/read-accounts.ts';
import { listStops, removeStop } from '../domain/stops/remove-stop.ts';
import type { StoppedAddress } from '../domain/stops/stop-store.ts';
import { type AddCommand, addAccountOption, addExamples, print } from './command.ts';
import { addListOptions, type ListOptions, printList, readPages } from './list.ts';

const addressesPerPage = 500;

export const stoppedCommands: AddCommand = (parent, withEngines) => {
  const stopped = parent
    .command('stopped')
    .description('list the addresses that want no more mail from an account, and allow it again');
  addExamples(
    stopped,
    'waybilld admin mail stopped list --account orders@example.org',
    'waybilld admin mail stopped remove kim@example.net --account orders@example.org',
  );

  const list = addListOptions(
    addAccountOption(stopped.command('list')).description(
      'list the addresses that want no more mail from an account, and since when',
    ),
  ).action((options: ListOptions & { account: string }) =>
    withEngines(async ({ engines }) => {
      const account = await findAccount(engines, options.account);
      await printList(options, {
        rows: readPages((after?: StoppedAddress) =>
          listStops(engines, account.id, after?.address ?? '', addressesPerPage),
        ),
        toShown: (row) => row,
        columns: { ADDRESS: ({ address }) => address, STOPPED: ({ stoppedAt }) => stoppedAt.toISOString() },
        none: `No one has stopped mails from ${account.email}.`,
      });
    }),
  );
  addExamples(list, 'waybilld admin mail stopped list --account orders@example.org --json');

  const remove = stopped
    .command('remove')
    .description('send mail from an account to an address again, if the person has asked you to')
    .argument('<address>', 'the address, as `mail stopped list` shows it')
    .requiredOption('--account <address>', 'the account')
    .option('--json', 'print JSON')
    .action((address: string, options: { account: string; json?: boolean }) =>
      withEngines(async ({ engines }) => {
        const account = await findAccount(engines, options.account);
        await removeStop(engines, account, address);
        print(options.json, { allowed: address }, [`${address} can get mail from ${account.email} again.`]);
      }),
    );
  addExamples(remove, 'waybilld admin mail stopped remove kim@example.net --account orders@example.org');
};
