import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { AccountContents } from '../domain/accounts/account-store.ts';
import { deleteAccount } from '../domain/accounts/delete-account.ts';
import { findAccount, readContents } from '../domain/accounts/read-accounts.ts';
import { type AddCommand, addAccountOption, addExamples, print } from './command.ts';

export const deleteAccountCommand: AddCommand = (accounts, withEngines) => {
  const command = addAccountOption(accounts.command('delete'))
    .description('delete an account with everything that belongs to it; this cannot be undone')
    .option('--yes', 'do not ask; otherwise it shows what would be deleted, and asks for the address again')
    .option('--json', 'print JSON')
    .action((options: { account: string; yes?: boolean; json?: boolean }, self: Command) =>
      withEngines(async ({ engines }) => {
        const account = await findAccount(engines, options.account);
        const contents = await readContents(engines, account.id);
        if (!options.yes) {
          print(options.json, { account: account.email, deleting: account.deleting, contents: toJson(contents) }, [
            `${account.email} loses, and no one can get back:`,
            ...describeContents(contents),
            'Receivers can no longer download what it sent, and running downloads and uploads end.',
          ]);
          if (options.json || !process.stdin.isTTY) self.error('nothing was deleted: use --yes to delete the account');
          if ((await ask(`To delete it, type its address: `)) !== account.email) {
            self.error('nothing was deleted, because this is not its address');
          }
        }
        await deleteAccount(engines, account);
        print(options.json, { account: account.email, deleting: true, contents: toJson(contents) }, [
          ...(options.yes ? describeContents(contents) : []),
          `${account.email} is disabled, and is being deleted with all this. \`waybilld admin accounts list\` shows it until nothing is left.`,
        ]);
      }),
    );
  addExamples(
    command,
    'waybilld admin accounts delete --account orders@example.org',
    'waybilld admin accounts delete --account orders@example.org --yes --json',
  );
};

function describeContents(contents: AccountContents): string[] {
  return [
    `  drops and requests: ${contents.drops}, of which ${contents.liveDrops} can be opened now`,
    `  files: ${contents.files}, with ${contents.storedBytes} bytes`,
    `  entries of its inbox: ${contents.inboxEntries}  contacts: ${contents.contacts}`,
    `  keys: ${contents.liveKeys}  webhooks: ${contents.webhooks}`,
    `  people who belong to no other account: ${contents.people}${listPeople(contents)}`,
  ];
}

function listPeople({ people, firstPeople }: AccountContents): string {
  if (people === 0) return '';
  const more = people - firstPeople.length;
  return ` (${firstPeople.join(', ')}${more > 0 ? ` and ${more} more` : ''})`;
}

function toJson(contents: AccountContents) {
  const { liveDrops, drops, files, storedBytes, inboxEntries, contacts, liveKeys, webhooks } = contents;
  return {
    live_drops: liveDrops,
    drops,
    files,
    stored_bytes: storedBytes,
    inbox_entries: inboxEntries,
    contacts,
    live_keys: liveKeys,
    webhooks,
    people: contents.people,
    first_people: contents.firstPeople,
  };
}

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // Ctrl-C and Ctrl-D end the command; nothing has been changed yet.
  const ended = new AbortController();
  terminal.once('close', () => ended.abort());
  try {
    return (await terminal.question(question, { signal: ended.signal })).trim().toLowerCase();
  } finally {
    terminal.close();
  }
}
