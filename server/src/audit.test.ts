// Whom the audit names, for every door through which something is changed.
import { expect, test } from 'vitest';
import type { Actor } from './domain/actor.ts';
import { sweep } from './domain/sweep.ts';
import { requestV1 } from './testing/request-v1.ts';
import { runAdmin } from './testing/run-admin.ts';
import { testHost } from './testing/server.ts';
import { useTestServer } from './testing/use-test-server.ts';

const { exchange, app } = await useTestServer({ csrfTokens: { mint: async () => '', accept: async () => true } });
const { query } = exchange.database;
interface Key {
  readonly id: string;
  readonly apiKey: string;
}

const readAuthors = ({ accountId }: Pick<Actor, 'accountId'>, actions: readonly string[]) =>
  query(
    `select action, author_kind as kind, author_id as id, author_name as name from audit_entries
     where account_id = $1 and action = any ($2) order by at, id`,
    [accountId, actions],
  );

const admin = async (...args: string[]): Promise<unknown> => JSON.parse(await runAdmin(exchange, ...args, '--json'));

async function addByMachine({ email }: Actor, { apiKey }: Key, address: string): Promise<void> {
  const { statusCode } = await app.inject({
    method: 'POST',
    url: `/${email}/cgi/contacts_add.cgi`,
    headers: {
      host: testHost,
      authorization: `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`,
      'csrf-token': 'x'.repeat(43),
    },
    payload: [{ email: address }],
  });
  expect(statusCode).toBe(200);
}

test('two keys of one account are told apart, in /api/v1 and in the machine API', async () => {
  const owner = await exchange.account();
  const second = (await admin('api-keys', 'create', '--email', owner.email)) as { id: string; api_key: string };
  const keys: Key[] = [
    { id: owner.key.id, apiKey: owner.apiKey },
    { id: second.id, apiKey: second.api_key },
  ];
  for (const [index, key] of keys.entries()) {
    const { status } = await requestV1(app, 'PUT', `/contacts/v1-${index}@example.org`, { key: key.apiKey, body: {} });
    expect(status).toBe(201);
    await addByMachine(owner, key, `machine-${index}@example.org`);
  }
  const by = (key: Key | undefined) => ({ kind: 'key', id: key?.id, name: owner.email });
  expect(await readAuthors(owner, ['contact.created', 'contacts.replaced'])).toEqual([
    { action: 'contact.created', ...by(keys[0]) },
    { action: 'contacts.replaced', ...by(keys[0]) },
    { action: 'contact.created', ...by(keys[1]) },
    { action: 'contacts.replaced', ...by(keys[1]) },
  ]);
});

test('a command is named by the user who ran it, and a job as the server', async () => {
  const account = await exchange.account();
  await runAdmin(exchange, 'accounts', 'delete', account.email, '--yes');
  await sweep(exchange.engines);
  expect(await readAuthors(account, ['account.deletion_requested', 'account.deleted'])).toEqual([
    { action: 'account.deletion_requested', kind: 'command', id: 'tester', name: 'admin' },
    { action: 'account.deleted', kind: 'system', id: 'sweep', name: 'sweep' },
  ]);
});

test('a change of settings has its values before and after', async () => {
  const { email, accountId } = await exchange.account();
  await admin('accounts', 'set', '--email', email, '--drops-per-day', '5');
  await admin('accounts', 'set', '--email', email, '--drops-per-day', '7');
  const changes = await query(
    "select before, after from audit_entries where account_id = $1 and action = 'account.changed' order by at",
    [accountId],
  );
  expect(changes).toEqual([
    { before: { dropsPerDay: null }, after: { dropsPerDay: 5 } },
    { before: { dropsPerDay: 5 }, after: { dropsPerDay: 7 } },
  ]);
});

test('the network address of a program is recorded', async () => {
  const { apiKey, accountId } = await exchange.account();
  await requestV1(app, 'PUT', '/contacts/someone@example.org', { key: apiKey, body: {} });
  const entries = await query(
    "select author_address, addresses from audit_entries where account_id = $1 and action = 'contact.created'",
    [accountId],
  );
  expect(entries).toEqual([{ author_address: '192.0.2.7', addresses: ['someone@example.org'] }]);
});
