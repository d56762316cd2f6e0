import { Option } from 'commander';
import { createAccount } from '../domain/accounts/create-account.ts';
import { findAccount } from '../domain/accounts/find-account.ts';
import { setAccountChoices } from '../domain/accounts/set-account-choices.ts';
import { setAccountDisabled } from '../domain/accounts/set-account-disabled.ts';
import type { Account, SecondFactor } from '../domain/ports/index.ts';
import { type AddCommand, print, printPages } from './command.ts';

const accountsPerPage = 500;

interface ChoiceOptions {
  email: string;
  secondFactor?: SecondFactor | 'default';
  receipts?: 'on' | 'off';
  reminders?: 'on' | 'off';
  json?: boolean;
}

export const accountCommands: AddCommand = (parent, withEngines) => {
  const accounts = parent.command('accounts').description('who may use the service');

  accounts
    .command('create')
    .description('make an account and its first API key, which is shown once')
    .requiredOption('--email <address>', 'the account’s address, which is its user name')
    .requiredOption('--number <digits>', 'its mobile number: 7 to 15 digits, the country code first')
    .addOption(new Option('--type <type>', 'what kind of account').choices(['api', 'user']).default('api'))
    .option('--language <tag>', 'its language, such as en or sv')
    .option('--json', 'answer as JSON')
    .action((options: { email: string; number: string; type: 'api' | 'user'; language?: string; json?: boolean }) =>
      withEngines(async ({ engines }) => {
        const { account, apiKey } = await createAccount(engines, options);
        print(options.json, { account: shown(account), api_key: apiKey }, [
          `Account  ${account.email}`,
          `API key  ${apiKey}`,
          'The key is not shown again: keep it where the client finds it.',
        ]);
      }),
    );

  accounts
    .command('list')
    .description('all accounts, by address')
    .option('--json', 'answer as one JSON array')
    .action((options: { json?: boolean }) =>
      withEngines(async ({ engines }) => {
        await printPages(
          options.json,
          (after?: Account) => engines.store.accounts.page(after?.email ?? '', accountsPerPage),
          shown,
          ({ email, type, disabled }) => `${email}  ${type}${disabled ? '  disabled' : ''}`,
        );
      }),
    );

  const switchOption = (flags: string, about: string) => new Option(flags, about).choices(['on', 'off']);
  accounts
    .command('set')
    .description('what its receivers are asked for, and which mails are sent')
    .requiredOption('--email <address>', 'the account')
    .addOption(
      new Option(
        '--second-factor <factor>',
        'the code a receiver types in; default: as the server’s setting says',
      ).choices(['off', 'sms', 'mail', 'default']),
    )
    .addOption(switchOption('--receipts <on|off>', 'whether it is told when everything was sent to a receiver'))
    .addOption(switchOption('--reminders <on|off>', 'whether receivers who have not are reminded before the deadline'))
    .option('--json', 'answer as JSON')
    .action((options: ChoiceOptions) =>
      withEngines(async ({ engines }) => {
        const { secondFactor } = options;
        await setAccountChoices(engines, await findAccount(engines, options.email), {
          ...(secondFactor && { secondFactor: secondFactor === 'default' ? null : secondFactor }),
          ...(options.receipts && { receipts: options.receipts === 'on' }),
          ...(options.reminders && { reminders: options.reminders === 'on' }),
        });
        const account = shown(await findAccount(engines, options.email));
        print(options.json, { account }, [
          `${account.email}  second factor: ${account.second_factor}  receipts: ${account.receipts ? 'on' : 'off'}  reminders: ${account.reminders ? 'on' : 'off'}`,
        ]);
      }),
    );

  for (const disabled of [true, false]) {
    const name = disabled ? 'disable' : 'enable';
    accounts
      .command(name)
      .description(disabled ? 'refuse the account from now on' : 'let the account in again')
      .requiredOption('--email <address>', 'the account')
      .option('--json', 'answer as JSON')
      .action((options: { email: string; json?: boolean }) =>
        withEngines(async ({ engines }) => {
          const account = await findAccount(engines, options.email);
          await setAccountDisabled(engines, account, disabled);
          print(options.json, { account: { ...shown(account), disabled } }, [`${account.email} is ${name}d.`]);
        }),
      );
  }
};

function shown({ email, number, type, disabled, secondFactor, receipts, reminders }: Account) {
  return { email, number, type, disabled, second_factor: secondFactor ?? 'default', receipts, reminders };
}
