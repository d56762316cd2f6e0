// Authors in the audit, for every door through which something is changed.
import { Readable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import type { Actor } from '../src/domain/actor.ts';
import type { Author } from '../src/domain/audit/audit-store.ts';
import { migrateSchema } from '../src/domain/migrate-schema.ts';
import { sweep } from '../src/domain/sweep.ts';
import { openDatabase } from '../src/engines/postgres/database.ts';
import { migrate } from '../src/engines/postgres/migrate.ts';
import { postgresStore } from '../src/engines/postgres/store.ts';
import { createEmptyDatabase, openTestPool } from './database.ts';
import { placeEvidence } from './place-evidence.ts';
import { requestV1 } from './request-v1.ts';
import { runAdmin } from './run-admin.ts';
import { testHost } from './server.ts';
import { useTestServer } from './use-test-server.ts';
import { watchAudit } from './watch-audit.ts';
import { watchJob } from './watch-operations.ts';

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

const authorize = ({ email, apiKey }: { email: string; apiKey: string }) => ({
  authorization: `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`,
  'csrf-token': 'x'.repeat(43),
});

async function addByMachine({ email }: Actor, { apiKey }: Key, address: string): Promise<void> {
  const { statusCode } = await app.inject({
    method: 'POST',
    url: `/${email}/cgi/contacts_add.cgi`,
    headers: { host: testHost, ...authorize({ email, apiKey }) },
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
  const sweeps = [() => watchJob('sweep', () => sweep(exchange.engines)), () => runAdmin(exchange, 'sweep')];
  for (const run of sweeps) {
    const account = await exchange.account('r@example.org');
    await exchange.drop(account, ['r@example.org'], ['a.txt']);
    await runAdmin(exchange, 'accounts', 'delete', '--account', account.email, '--yes');
    await placeEvidence(exchange.database);
    await run();
    // Objects may still be on their way, which is waited for.
    await query('update uploads set due_at = now() where account_id = $1', [account.accountId]);
    await run();
    await run();
    expect(await readAuthors(account, ['account.deletion_requested', 'drop.revoked', 'account.deleted'])).toEqual([
      { action: 'account.deletion_requested', kind: 'command', id: 'tester', name: 'admin' },
      { action: 'drop.revoked', kind: 'system', id: 'sweep', name: 'sweep' },
      { action: 'account.deleted', kind: 'system', id: 'sweep', name: 'sweep' },
    ]);
  }
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

test('a file that is removed through the machine API is recorded', async () => {
  const owner = await exchange.account();
  await exchange.upload(owner, 'a.txt');
  const { statusCode } = await app.inject({
    url: `/${owner.email}/cgi/remove_file.cgi?filename=a.txt`,
    headers: { host: testHost, ...authorize(owner) },
  });
  expect(statusCode).toBe(200);
  const by = { kind: 'key', id: owner.key.id, name: owner.email };
  expect(await readAuthors(owner, ['file.deleted'])).toEqual([{ action: 'file.deleted', ...by }]);
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

test('each command records its change', async () => {
  const sender = await exchange.account('r@example.org');
  const ofSender = ['--account', sender.email];
  const dropId = await exchange.drop(sender, ['r@example.org'], ['a.txt']);
  await admin('accounts', 'create', '--email', 'orders@example.org', '--phone', '46700000001');
  const account = ['--account', 'orders@example.org'];
  const email = ['--email', 'orders@example.org'];
  await admin('accounts', 'disable', ...email);
  await admin('accounts', 'enable', ...email);
  await admin('groups', 'create', 'sales', '--drops-per-day', '5');
  await admin('groups', 'set', 'sales', '--drops-per-day', '7');
  await admin('groups', 'remove', 'sales');
  const hold = await admin('holds', 'place', ...account, '--name', 'Case 17', '--reason', 'x');
  await admin('holds', 'release', (hold as { placed: string }).placed);
  await admin('people', 'invite', '--email', 'maya@example.org');
  await admin('people', 'disable', '--email', 'maya@example.org');
  await admin('people', 'enable', '--email', 'maya@example.org');
  using input = vi.spyOn(process, 'stdin', 'get');
  input.mockReturnValue(Readable.from(['[{"email":"help@example.org"}]']) as typeof process.stdin);
  await admin('contacts', 'set', '--file', '-');
  await admin('log', 'start-epoch', '--reason', 'a test');
  const status = (await admin('log', 'status')) as { epochs: { keys: { id: string }[] }[] };
  await admin('log', 'rotate-key');
  await admin('log', 'retire-key', status.epochs[0]?.keys[0]?.id ?? '');
  const until = new Date(Date.now() + 10 * 86_400_000).toISOString();
  await admin('drops', 'extend', dropId, ...ofSender, '--until', until);
  await admin('drops', 'revoke', dropId, ...ofSender);
  await query("insert into stopped_mail (account_id, email) values ($1, 'r@example.org')", [sender.accountId]);
  await admin('mail', 'stopped', 'remove', 'r@example.org', ...ofSender);
  const entries = await query<{ action: string }>(
    `select action from audit_entries where author_kind = 'command' and at >= (
       select at from audit_entries where action = 'account.created' and details ->> 'email' = 'orders@example.org')
     order by sequence`,
  );
  expect(entries.map(({ action }) => action)).toEqual([
    'account.created',
    'account.disabled',
    'account.enabled',
    'group.created',
    'group.changed',
    'group.deleted',
    'hold.placed',
    'hold.released',
    'person.invited',
    'person.disabled',
    'person.enabled',
    'global_contacts.replaced',
    'log.started',
    'log.key_added',
    'log.key_retired',
    'drop.extended',
    'drop.revoked',
    'mail.resumed',
  ]);
});

test('a command that corrects a sum records both', async () => {
  const { accountId } = await exchange.account();
  await query('update usage set stored_bytes = 7 where account_id = $1', [accountId]);
  await admin('accounts', 'usage', '--recount');
  const read = "select before, after from audit_entries where account_id = $1 and action = 'usage.corrected'";
  expect(await query(read, [accountId])).toEqual([{ before: { storedBytes: 7 }, after: { storedBytes: 0 } }]);
});

test('a command that migrates records the migrations', async () => {
  await using empty = await createEmptyDatabase();
  const pool = openTestPool(empty.url);
  const store = watchAudit(postgresStore(openDatabase(pool)));
  const engines = {
    ...exchange.engines,
    store,
    migrate: (author: Author) => migrateSchema({ ...exchange.engines, store }, () => migrate(pool), author),
  };
  const run = async () => JSON.parse(await runAdmin({ engines }, 'migrate', '--json')) as { applied: string[] };
  const { applied } = await run();
  expect(await run()).toEqual({ applied: [] });
  const { rows } = await pool.query("select author_id, details from audit_entries where action = 'schema.migrated'");
  await pool.end();
  expect(rows).toEqual([{ author_id: 'tester', details: { migrations: applied } }]);
});
