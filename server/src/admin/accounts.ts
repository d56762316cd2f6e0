import { createInterface } from 'node:readline/promises';
import { type Command, Option } from 'commander';
import type { Account, AccountContents } from '../domain/accounts/account-store.ts';
import { createAccount, setAccountDisabled } from '../domain/accounts/change-account.ts';
import { deleteAccount } from '../domain/accounts/delete-account.ts';
import type { Group } from '../domain/accounts/quota-store.ts';
import { findAccount, listAccounts, readContents, readOwnQuotas } from '../domain/accounts/read-accounts.ts';
import { setAccountChoices } from '../domain/accounts/set-account-choices.ts';
import { findGroup, setAccountQuotas } from '../domain/accounts/set-quotas.ts';
import type { Engines } from '../domain/engines.ts';
import type { SecondFactor } from '../domain/policy.ts';
import { type AddCommand, addAccountOption, addExamples, print } from './command.ts';
import { addListOptions, containsText, type ListOptions, printList, readPages } from './list.ts';
import { addQuotaOptions, describeQuotas, parseQuotas, type QuotaOptions, toJsonQuotas } from './quota-options.ts';
import { usageCommands } from './usage.ts';

const accountsPerPage = 500;

interface ChoiceOptions extends QuotaOptions {
  account: string;
  name?: string;
  secondFactor?: SecondFactor | 'default';
  receipts?: 'on' | 'off';
  attachReceipts?: 'on' | 'off';
  reminders?: 'on' | 'off';
  group?: string;
  json?: boolean;
}

export const accountCommands: AddCommand = (parent, withEngines) => {
  const accounts = parent
    .command('accounts')
    .description('create, list, change and delete the accounts that may use the server');
  addExamples(
    accounts,
    'waybilld admin accounts create --email orders@example.org --phone 46700000001',
    'waybilld admin accounts list',
  );

  const create = accounts
    .command('create')
    .description('create an account and its first API key, which is shown only once')
    .requiredOption('--email <address>', 'its address, which is also its user name')
    .requiredOption('--phone <digits>', 'its mobile number: 7 to 15 digits, starting with the country code')
    .addOption(new Option('--type <type>', 'the kind of account').choices(['api', 'user']).default('api'))
    .option('--language <tag>', 'its language, such as en or sv')
    .option('--json', 'print JSON')
    .action((options: { email: string; phone: string; type: 'api' | 'user'; language?: string; json?: boolean }) =>
      withEngines(async (engines) => {
        const { account, apiKey } = await createAccount(engines, options);
        print(options.json, { account: toJson(account), api_key: apiKey }, [
          `Account  ${account.email}`,
          `API key  ${apiKey}`,
          'The key is not shown again: store it where the client finds it.',
        ]);
      }),
    );
  addExamples(
    create,
    'waybilld admin accounts create --email orders@example.org --phone 46700000001',
    'waybilld admin accounts create --email anna@example.org --phone 46700000002 --type user --language sv --json',
  );

  const list = addListOptions(
    accounts
      .command('list')
      .description('list accounts by address')
      .option('--search <text>', 'only those with this text in their address or name')
      .option('--disabled', 'only those that are disabled'),
  ).action((options: ListOptions & { search?: string; disabled?: boolean }) =>
    withEngines((engines) =>
      printList(options, {
        rows: readPages((after?: Account) => listAccounts(engines, after?.email ?? '', accountsPerPage)),
        toShown: toJson,
        isWanted: ({ email, name, disabled }) =>
          containsText(options.search, email, name) && (!options.disabled || disabled),
        columns: {
          ACCOUNT: ({ email }) => email,
          TYPE: ({ type, test }) => (test ? 'test' : type),
          STATE: describeAccountState,
          NAME: ({ name }) => name,
        },
        none:
          options.search || options.disabled
            ? 'There is no such account.'
            : 'There is no account yet. To create one: waybilld admin accounts create --help',
      }),
    ),
  );
  addExamples(list, 'waybilld admin accounts list', 'waybilld admin accounts list --search orders --json');

  const toggleOption = (flags: string, about: string) => new Option(flags, about).choices(['on', 'off']);
  const set = addQuotaOptions(addAccountOption(accounts.command('set')))
    .description(
      'change how an account is named, what it may do, what its receivers are asked for, and which mails are sent',
    )
    .option('--name <name>', 'the name shown on pages and in mails; empty for its address')
    .addOption(
      new Option(
        '--second-factor <factor>',
        'how a receiver gets a code to type in; default follows the group or the server',
      ).choices(['off', 'sms', 'mail', 'default']),
    )
    .addOption(toggleOption('--receipts <on|off>', 'whether it gets a mail when everything was sent to a receiver'))
    .addOption(toggleOption('--attach-receipts <on|off>', 'whether that mail carries the receipt as a PDF'))
    .addOption(
      toggleOption(
        '--reminders <on|off>',
        'whether receivers who have not downloaded everything are reminded before the deadline',
      ),
    )
    .option('--group <name>', 'the group whose limits apply where it has none of its own; none takes it out')
    .option('--json', 'print JSON')
    .action((options: ChoiceOptions, command: Command) => {
      const { name, secondFactor, receipts, attachReceipts, reminders } = options;
      const choices = {
        ...(name !== undefined && { displayName: name }),
        ...(secondFactor && { secondFactor: secondFactor === 'default' ? null : secondFactor }),
        ...(receipts && { receipts: receipts === 'on' }),
        ...(attachReceipts && { attachReceipts: attachReceipts === 'on' }),
        ...(reminders && { reminders: reminders === 'on' }),
      };
      const quotas = parseQuotas(options);
      const changesChoices = Object.keys(choices).length > 0;
      const changesQuotas = Object.keys(quotas).length > 0 || options.group !== undefined;
      if (!changesChoices && !changesQuotas) {
        command.error('nothing to change: use --name, --group, --max-stored or another option besides --account');
      }
      return withEngines(async (engines) => {
        const found = await findAccount(engines, options.account);
        if (changesQuotas) await setAccountQuotas(engines, found, quotas, await parseGroup(engines, options.group));
        if (changesChoices) await setAccountChoices(engines, engines.administrator, found, choices);
        const account = toJson(await findAccount(engines, options.account));
        const { group, ...own } = await readOwnQuotas(engines, found.id);
        const limits = toJsonQuotas(own);
        print(options.json, { account: { ...account, group, own: limits } }, [
          `${account.email}  name: ${account.name || '-'}  second factor: ${account.second_factor}  receipts: ${account.receipts ? 'on' : 'off'}  reminders: ${account.reminders ? 'on' : 'off'}`,
          `group: ${group ?? '-'}  ${describeQuotas(limits)}`,
        ]);
      });
    });
  addExamples(
    set,
    'waybilld admin accounts set --account orders@example.org --name "Acme orders"',
    'waybilld admin accounts set --account orders@example.org --second-factor sms',
    'waybilld admin accounts set --account orders@example.org --receipts off --reminders off',
    'waybilld admin accounts set --account orders@example.org --group sales --max-stored 50GB',
  );

  usageCommands(accounts, withEngines);
  deleteAccountCommand(accounts, withEngines);

  for (const disabled of [true, false]) {
    const name = disabled ? 'disable' : 'enable';
    const command = addAccountOption(accounts.command(name))
      .description(disabled ? 'refuse all requests of an account from now on' : 'accept requests of an account again')
      .option('--json', 'print JSON')
      .action((options: { account: string; json?: boolean }) =>
        withEngines(async (engines) => {
          const account = await findAccount(engines, options.account);
          await setAccountDisabled(engines, account, disabled);
          print(options.json, { account: { ...toJson(account), disabled } }, [`${account.email} is ${name}d.`]);
        }),
      );
    addExamples(command, `waybilld admin accounts ${name} --account orders@example.org`);
  }
};

function describeAccountState({ disabled, deleting }: { disabled: boolean; deleting?: boolean }): string {
  if (deleting) return 'being deleted';
  return disabled ? 'disabled' : 'active';
}

/** Undefined: it stays as it is; null: in none. */
async function parseGroup(
  engines: Pick<Engines, 'store'>,
  name: string | undefined,
): Promise<Group | null | undefined> {
  if (name === undefined) return undefined;
  return name === 'none' ? null : findGroup(engines, name);
}

function toJson(account: Account) {
  const { email, displayName: name, phone, type, testOf, disabled, deleting, secondFactor } = account;
  const { receipts, attachReceipts: attach_receipts, reminders } = account;
  const choices = { second_factor: secondFactor ?? 'default', receipts, attach_receipts, reminders };
  return {
    email,
    name,
    phone,
    type,
    ...(testOf !== null && { test: true }),
    disabled,
    ...(deleting && { deleting }),
    ...choices,
  };
}

export const deleteAccountCommand: AddCommand = (accounts, withEngines) => {
  const command = addAccountOption(accounts.command('delete'))
    .description('delete an account with everything that belongs to it; this cannot be undone')
    .option('--yes', 'do not ask; otherwise it shows what would be deleted, and asks for the address again')
    .option('--json', 'print JSON')
    .action((options: { account: string; yes?: boolean; json?: boolean }, self: Command) =>
      withEngines(async (engines) => {
        const account = await findAccount(engines, options.account);
        const contents = await readContents(engines, account.id);
        if (!options.yes) {
          print(
            options.json,
            { account: account.email, deleting: account.deleting, contents: toJsonContents(contents) },
            [
              `${account.email} loses, and no one can get back:`,
              ...describeContents(contents),
              'Receivers can no longer download what it sent, and running downloads and uploads end.',
            ],
          );
          if (options.json || !process.stdin.isTTY) self.error('nothing was deleted: use --yes to delete the account');
          if ((await ask(`To delete it, type its address: `)) !== account.email) {
            self.error('nothing was deleted, because this is not its address');
          }
        }
        await deleteAccount(engines, account);
        print(options.json, { account: account.email, deleting: true, contents: toJsonContents(contents) }, [
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

function toJsonContents(contents: AccountContents) {
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
