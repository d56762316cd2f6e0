import type { ApiKey } from '../domain/accounts/account-store.ts';
import { createKey, revokeKey } from '../domain/accounts/change-keys.ts';
import { findAccount, listKeys } from '../domain/accounts/read-accounts.ts';
import { type AddCommand, addAccountOption, addExamples, parseId, print } from './command.ts';
import { addListOptions, type ListOptions, printList } from './list.ts';

export const apiKeyCommands: AddCommand = (parent, withEngines) => {
  const keys = parent
    .command('api-keys')
    .description(
      'create, list and revoke the API keys of an account, which has at most two live ones that may do everything',
    );
  addExamples(
    keys,
    'waybilld admin api-keys list --account orders@example.org',
    'waybilld admin api-keys create --account orders@example.org',
  );

  const create = addAccountOption(keys.command('create'))
    .description('create another key, which is shown only once')
    .option('--test', 'a key of its test account, whose mails and SMS are kept and never sent')
    .option('--json', 'print JSON')
    .action((options: { account: string; test?: boolean; json?: boolean }) =>
      withEngines(async (engines) => {
        const mode = options.test ? 'test' : 'live';
        const found = await findAccount(engines, options.account);
        const { id, apiKey, account } = await createKey(engines, found, mode);
        print(options.json, { id, mode, account: account.email, api_key: apiKey }, [
          ...(options.test ? [`Account  ${account.email}`] : []),
          `Key      ${id}`,
          `API key  ${apiKey}`,
          'The key is not shown again: store it where the client finds it.',
        ]);
      }),
    );
  addExamples(
    create,
    'waybilld admin api-keys create --account orders@example.org',
    'waybilld admin api-keys create --account orders@example.org --test',
  );

  const list = addListOptions(
    addAccountOption(keys.command('list')).description('list the keys of an account, newest first'),
  ).action((options: ListOptions & { account: string }) =>
    withEngines(async (engines) => {
      const account = await findAccount(engines, options.account);
      await printList(options, {
        rows: await listKeys(engines, account.id),
        toShown: (key) => ({
          id: key.id,
          hint: key.hint,
          name: key.name,
          mode: key.isTest ? 'test' : 'live',
          state: findState(key),
          scopes: key.scopes,
          networks: key.networks,
          created_at: key.createdAt,
          created_by: key.createdBy,
          revoked_at: key.revokedAt,
        }),
        columns: {
          ID: ({ id }) => id,
          HINT: ({ hint }) => hint,
          MODE: ({ mode }) => mode,
          STATE: ({ state }) => state,
          SCOPES: ({ scopes }) => scopes?.join(',') ?? 'everything',
          NAME: ({ name }) => name,
        },
        none: `${account.email} has no keys.`,
      });
    }),
  );
  addExamples(list, 'waybilld admin api-keys list --account orders@example.org --json');

  const revoke = addAccountOption(keys.command('revoke'))
    .description('refuse a key from now on')
    .requiredOption('--id <id>', 'the key, as `api-keys list` shows it', parseId('api-keys list'))
    .option(
      '--descendants',
      'also the keys that it created, those that they created, and so on; and disable the webhooks of all of them',
    )
    .option('--json', 'print JSON')
    .action((options: { account: string; id: string; descendants?: boolean; json?: boolean }) =>
      withEngines(async (engines) => {
        const account = await findAccount(engines, options.account);
        const { id, descendants = false } = options;
        const revocation = { keyId: id, descendants };
        const { ids, ...webhooks } = await revokeKey(engines, account, revocation, engines.administrator);
        const { webhooksDisabled, webhooksLive } = webhooks;
        print(
          options.json,
          { id, revoked: true, ids, webhooks_disabled: webhooksDisabled, webhooks_live: webhooksLive },
          [
            ...ids.map((one) => `${one} is revoked.`),
            ...(webhooksDisabled > 0 ? [`Webhooks that are disabled: ${webhooksDisabled}`] : []),
            ...(webhooksLive > 0 ? [`Webhooks that it created and that stay active: ${webhooksLive}`] : []),
          ],
        );
      }),
    );
  addExamples(
    revoke,
    'waybilld admin api-keys revoke --account orders@example.org --id 01a1dca1-b6e4-73d7-b45e-3306c96c241d',
    'waybilld admin api-keys revoke --account orders@example.org --id 01a1dca1-b6e4-73d7-b45e-3306c96c241d --descendants',
  );
};

function findState({ isLive, revokedAt }: ApiKey): 'live' | 'revoked' | 'ended' {
  if (isLive) return 'live';
  return revokedAt ? 'revoked' : 'ended';
}
