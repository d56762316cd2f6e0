import { Option } from 'commander';
import { createAccount } from '../domain/accounts/create-account.ts';
import { findAccount } from '../domain/accounts/find-account.ts';
import { setAccountDisabled } from '../domain/accounts/set-account-disabled.ts';
import type { Account } from '../domain/ports.ts';
import { type AddCommand, print } from './command.ts';

const accountsPerPage = 500;

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
        let after = '';
        let separator = '[';
        for (;;) {
          const page = await engines.store.accounts.page(after, accountsPerPage);
          for (const account of page) {
            if (options.json) process.stdout.write(`${separator}${JSON.stringify(shown(account))}`);
            else process.stdout.write(`${account.email}  ${account.type}${account.disabled ? '  disabled' : ''}\n`);
            separator = ',';
          }
          const last = page.at(-1);
          if (!last || page.length < accountsPerPage) break;
          after = last.email;
        }
        if (options.json) process.stdout.write(separator === '[' ? '[]\n' : ']\n');
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

function shown(account: Account) {
  return { email: account.email, number: account.number, type: account.type, disabled: account.disabled };
}
