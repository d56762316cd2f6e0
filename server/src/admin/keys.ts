import { createKey } from '../domain/accounts/create-key.ts';
import { findAccount } from '../domain/accounts/find-account.ts';
import { revokeKey } from '../domain/accounts/revoke-key.ts';
import { type AddCommand, print } from './command.ts';

export const keyCommands: AddCommand = (parent, withEngines) => {
  const keys = parent.command('keys').description('the API keys of an account: at most two live ones');

  keys
    .command('create')
    .description('make a further key, which is shown once')
    .requiredOption('--email <address>', 'the account')
    .option('--json', 'answer as JSON')
    .action((options: { email: string; json?: boolean }) =>
      withEngines(async ({ engines }) => {
        const account = await findAccount(engines, options.email);
        const { id, apiKey } = await createKey(engines, account);
        print(options.json, { id, api_key: apiKey }, [
          `Key      ${id}`,
          `API key  ${apiKey}`,
          'The key is not shown again: keep it where the client finds it.',
        ]);
      }),
    );

  keys
    .command('list')
    .description('the keys of an account, newest first')
    .requiredOption('--email <address>', 'the account')
    .option('--json', 'answer as JSON')
    .action((options: { email: string; json?: boolean }) =>
      withEngines(async ({ engines }) => {
        const account = await findAccount(engines, options.email);
        const found = await engines.store.accounts.keys(account.id);
        print(
          options.json,
          found.map((key) => ({ id: key.id, hint: key.hint, created_at: key.createdAt, revoked_at: key.revokedAt })),
          found.map((key) => `${key.id}  ${key.hint}  ${key.revokedAt ? 'revoked' : 'live'}`),
        );
      }),
    );

  keys
    .command('revoke')
    .description('refuse a key from now on')
    .requiredOption('--email <address>', 'the account')
    .requiredOption('--id <id>', 'the key, as `keys list` shows it')
    .option('--json', 'answer as JSON')
    .action((options: { email: string; id: string; json?: boolean }) =>
      withEngines(async ({ engines }) => {
        const account = await findAccount(engines, options.email);
        await revokeKey(engines, account, options.id);
        print(options.json, { id: options.id, revoked: true }, [`${options.id} is revoked.`]);
      }),
    );
};
