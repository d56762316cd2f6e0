import { createKey } from '../domain/accounts/create-key.ts';
import { findAccount } from '../domain/accounts/find-account.ts';
import { revokeKey } from '../domain/accounts/revoke-key.ts';
import { currentVersion } from '../domain/keys/rotate-master-key.ts';
import type { ApiKey } from '../domain/ports/index.ts';
import { type AddCommand, type AdminContext, examples, idFrom, print } from './command.ts';
import { dayKeyCommands, wrapAgain } from './day-keys.ts';

export const keyCommands: AddCommand = (parent, withEngines) => {
  const keys = parent
    .command('keys')
    .description(
      'create, list and revoke the API keys of an account, which has at most two live ones that may do everything; wrap stored keys by another master key; copy day keys',
    );
  examples(
    keys,
    'waybilld admin keys list --email orders@example.org',
    'waybilld admin keys create --email orders@example.org',
    'waybilld admin keys status',
  );

  const create = keys
    .command('create')
    .description('create another key, which is shown only once')
    .requiredOption('--email <address>', 'the account')
    .option('--json', 'print JSON')
    .action((options: { email: string; json?: boolean }) =>
      withEngines(async ({ engines }) => {
        const account = await findAccount(engines, options.email);
        const { id, apiKey } = await createKey(engines, account);
        print(options.json, { id, api_key: apiKey }, [
          `Key      ${id}`,
          `API key  ${apiKey}`,
          'The key is not shown again: store it where the client finds it.',
        ]);
      }),
    );
  examples(create, 'waybilld admin keys create --email orders@example.org');

  const list = keys
    .command('list')
    .description('list the keys of an account, newest first')
    .requiredOption('--email <address>', 'the account')
    .option('--json', 'print JSON')
    .action((options: { email: string; json?: boolean }) =>
      withEngines(async ({ engines }) => {
        const account = await findAccount(engines, options.email);
        const found = await engines.store.accounts.keys(account.id);
        print(
          options.json,
          found.map((key) => ({
            id: key.id,
            hint: key.hint,
            name: key.name,
            state: stateOf(key),
            scopes: key.scopes,
            networks: key.networks,
            created_at: key.createdAt,
            created_by: key.createdBy,
            revoked_at: key.revokedAt,
          })),
          found.map((key) =>
            `${key.id}  ${key.hint}  ${stateOf(key)}  ${key.scopes?.join(',') ?? 'everything'}  ${key.name}`.trimEnd(),
          ),
        );
      }),
    );
  examples(list, 'waybilld admin keys list --email orders@example.org --json');

  const revoke = keys
    .command('revoke')
    .description('refuse a key from now on')
    .requiredOption('--email <address>', 'the account')
    .requiredOption('--id <id>', 'the key, as `keys list` shows it', idFrom('keys list'))
    .option(
      '--descendants',
      'also the keys that it created, those that they created, and so on; and disable the webhooks of all of them',
    )
    .option('--json', 'print JSON')
    .action((options: { email: string; id: string; descendants?: boolean; json?: boolean }) =>
      withEngines(async ({ engines }) => {
        const account = await findAccount(engines, options.email);
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
            ...(webhooksLive > 0 ? [`Webhooks that it created and that go on: ${webhooksLive}`] : []),
          ],
        );
      }),
    );
  examples(
    revoke,
    'waybilld admin keys revoke --email orders@example.org --id 01a1dca1-b6e4-73d7-b45e-3306c96c241d',
    'waybilld admin keys revoke --email orders@example.org --id 01a1dca1-b6e4-73d7-b45e-3306c96c241d --descendants',
  );

  const rotate = keys
    .command('rotate')
    .description(
      'wrap all stored keys by the newest master key (the first of the key file), while everything keeps running; can be interrupted and repeated. Exits with 1 if other master keys are still needed',
    )
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      withEngines(async ({ engines }) => {
        const since = performance.now();
        const replaced = await wrapAgain(engines);
        const tookMs = Math.round(performance.now() - since);
        const versions = await masterKeys(engines);
        const current = await currentVersion(engines.keys);
        const isDone = versions.every(
          ({ version, files, drops, day_keys: days }) => version === current || files + drops + days === 0,
        );
        print(options.json, { replaced, done: isDone, master_keys: versions, took_ms: tookMs }, [
          `${replaced} keys wrapped again by the master key of version ${current}.`,
          isDone
            ? 'No other master key is needed. Keep the old ones for as long as you keep backups made with them.'
            : 'Another master key is still used: restart all processes that were started before the key file was changed, then repeat this command.',
        ]);
        if (!isDone) process.exitCode = 1;
      }),
    );
  examples(rotate, 'waybilld admin keys rotate', 'waybilld admin keys rotate --json');

  const status = keys
    .command('status')
    .description(
      'show how many stored keys each master key wraps; a day key wraps those of the files that end on its day',
    )
    .option('--json', 'print one JSON array')
    .action((options: { json?: boolean }) =>
      withEngines(async ({ engines }) => {
        const versions = await masterKeys(engines);
        const current = await currentVersion(engines.keys);
        print(
          options.json,
          versions,
          versions.map(
            ({ version, files, drops, day_keys: days, fingerprint }) =>
              `version ${version}  ${days} day keys  ${files} files  ${drops} drops  ${fingerprint === null ? 'NOT available here' : `fingerprint ${fingerprint}`}${version === current ? '  current' : ''}`,
          ),
        );
      }),
    );
  examples(status, 'waybilld admin keys status', 'waybilld admin keys status --json');

  dayKeyCommands(keys, withEngines);
};

/** Those that are known here, and those that stored keys need. */
async function masterKeys({ keys, database }: AdminContext['engines']) {
  const used = (await database.keyVersions()).filter(({ version }) => version > 0);
  const known = await keys.masterKeys();
  const versions = new Set([...known, ...used].map(({ version }) => version));
  return [...versions]
    .toSorted((a, b) => a - b)
    .map((version) => {
      const { files = 0, drops = 0, days = 0 } = used.find((key) => key.version === version) ?? {};
      const fingerprint = known.find((key) => key.version === version)?.fingerprint ?? null;
      return { version, day_keys: days, files, drops, fingerprint };
    });
}

function stateOf({ isLive, revokedAt }: ApiKey): 'live' | 'revoked' | 'ended' {
  if (isLive) return 'live';
  return revokedAt ? 'revoked' : 'ended';
}
