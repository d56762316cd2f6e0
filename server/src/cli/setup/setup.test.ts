import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { engineAddresses } from '../../../test/engine-addresses.ts';
import { bucketNameForTest, removeBucket } from '../../../test/object-store.ts';
import { silentLog } from '../../../test/silent-log.ts';
import { assemble } from '../../assemble/assemble.ts';
import { listUsedMasterKeys } from '../../assemble/assemble-master-keys.ts';
import { readConfig } from '../../config/config.ts';
import { parseEnvironment } from '../../config/environment-file.ts';
import { authenticate } from '../../domain/accounts/authenticate.ts';
import { commandAuthor } from '../../domain/audit/author.ts';
import { fault } from '../../domain/doctor/finding.ts';
import { toBrowser } from '../../domain/people/browser.ts';
import { invitePerson } from '../../domain/people/invite-person.ts';
import { findPersonLink, openPersonLink } from '../../domain/people/open-person-link.ts';
import { findSession } from '../../domain/people/sessions.ts';
import { setPassword } from '../../domain/sign-in/register-method.ts';
import type { Ask } from './gather-settings.ts';
import { type SetupNeeds, type SetupOptions, setUp } from './setup.ts';

let dir: string;
let database: TestDatabase;
let bucket: string;
beforeEach(async () => {
  dir = join(mkdtempSync(join(tmpdir(), 'waybill-setup-')), 'etc');
  database = await createTestDatabase();
  bucket = bucketNameForTest();
});
afterEach(async () => {
  rmSync(join(dir, '..'), { recursive: true });
  await database[Symbol.asyncDispose]();
  await removeBucket(bucket);
});

const { s3 } = engineAddresses;
const given = () => ({
  WAYBILL_PUBLIC_URL: 'https://files.example.org',
  WAYBILL_DATABASE_URL: database.url,
  WAYBILL_REDIS_URL: engineAddresses.valkey,
  WAYBILL_S3_ENDPOINT: s3.endpoint,
  WAYBILL_S3_BUCKET: bucket,
  WAYBILL_S3_ACCESS_KEY_ID: s3.accessKeyId,
  WAYBILL_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
  WAYBILL_SMTP_URL: engineAddresses.smtp,
  WAYBILL_MAIL_FROM: 'waybill@files.example.org',
});

function run(options: Partial<SetupOptions> = {}, needs: Partial<SetupNeeds> = {}) {
  return setUp(
    { dir, set: {}, ...options },
    {
      given: given(),
      ask: undefined,
      listUsedMasterKeys,
      open: (config) => ({
        ...assemble(config, silentLog, 'admin'),
        administrator: commandAuthor({ user: 'root' }),
      }),
      diagnose: async () => [],
      ...needs,
    },
  );
}
const first = { email: 'orders@example.org', phone: '46700000001' };
const contents = () =>
  Object.fromEntries(readdirSync(dir).map((name) => [name, readFileSync(join(dir, name), 'utf8')]));

test('an empty machine gets settings, secrets, a bucket, the schema and an account whose key works', async () => {
  await using empty = await createEmptyDatabase();
  const result = await run({ ...first, set: { WAYBILL_DATABASE_URL: empty.url } });
  expect(result).toMatchObject({ bucketCreated: true, hasAccounts: true, failures: [] });
  expect(result.migrations.length).toBeGreaterThan(0);
  const { environment, ...secrets } = contents();
  expect(Object.keys(secrets).toSorted()).toEqual([
    'database-url',
    'key-pepper',
    'master-keys',
    'redis-url',
    's3-secret',
    'smtp-url',
  ]);
  expect(environment).toContain(`WAYBILL_DATABASE_URL_FILE=${dir}/database-url\n`);
  for (const secret of [empty.url, s3.secretAccessKey]) expect(environment).not.toContain(secret);
  for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).mode & 0o007).toBe(0);

  const engines = assemble(readConfig(parseEnvironment(environment ?? '')), silentLog, 'admin');
  const actor = await authenticate(engines, first.email, result.account?.apiKey ?? '', '127.0.0.1');
  await engines.close();
  expect(actor.email).toBe(first.email);
});

test('the key of a new account can be written to a file, which a second run keeps', async () => {
  const apiKeyFile = join(dir, 'api-key');
  const { account, files } = await run({ ...first, apiKeyFile });
  expect(files).toContain(apiKeyFile);
  expect(contents()['api-key']).toBe(`${account?.apiKey}\n`);
  expect(statSync(apiKeyFile).mode & 0o007).toBe(0);
  expect((await run({ ...first, apiKeyFile })).files).toEqual([]);
});

test('a key that cannot be written is still returned', async () => {
  writeFileSync(join(dir, '..', 'file'), '');
  const { account, failures } = await run({ ...first, apiKeyFile: join(dir, '..', 'file', 'api-key') });
  expect(account?.apiKey).toMatch(/^wb_/);
  expect(failures).toEqual([expect.stringMatching(/^API key: /)]);
});

test('the doctor can be left out', async () => {
  const found = fault('postgres', 'It is out of reach.', 'Start it.');
  const diagnose = async () => [found];
  expect((await run({}, { diagnose })).findings).toEqual([found]);
  expect((await run({ doctor: false }, { diagnose })).findings).toEqual([]);
});

test('a second run changes nothing, also without the settings in the environment', async () => {
  await run(first);
  const before = contents();
  for (const again of [await run(first), await run({}, { given: {} })]) {
    expect(again).toMatchObject({ files: [], bucketCreated: false, migrations: [], account: undefined });
    expect(again.hasAccounts).toBe(true);
  }
  expect(contents()).toEqual(before);
});

test('the first administrator gets a link that opens once, until they can sign in', async () => {
  const options = { administrator: 'Maya@example.org' };
  const links = [(await run(options)).administrator?.link, (await run(options)).administrator?.link];
  const engines = assemble(readConfig(parseEnvironment(contents()['environment'] ?? '')), silentLog, 'admin');
  try {
    const find = (link = '') => findPersonLink(engines, link.replace('https://files.example.org/sign-in/link/', ''));
    const [earlier, latest] = await Promise.all(links.map(find));
    expect(earlier?.state).not.toBe('open');
    if (!latest) throw new Error('there is no link');
    expect(latest.person).toMatchObject({ email: 'maya@example.org', isAdministrator: true });

    const browser = toBrowser('127.0.0.1', 'a browser');
    const opened = await Promise.allSettled([1, 2].map(() => openPersonLink(engines, latest, browser)));
    const secrets = opened.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(secrets).toHaveLength(1);
    const signedIn = await findSession(engines, secrets[0] ?? '');
    if (!signedIn) throw new Error('there is no session');
    expect(await setPassword(engines, signedIn, 'several words in a row', browser)).toHaveProperty('secret');
    expect((await run(options)).administrator).toMatchObject({ email: 'maya@example.org', link: undefined });
    expect(await engines.store.people.page('', 10)).toHaveLength(1);

    const { person } = await invitePerson(engines, commandAuthor({ user: 'root' }), {
      email: 'bo@example.org',
      mail: false,
    });
    const promoted = await run({ administrator: person.email });
    expect(promoted).toMatchObject({ administrator: { email: person.email, isPromoted: true }, failures: [] });
    expect(await engines.store.people.byId(person.id)).toMatchObject({ isAdministrator: true });
  } finally {
    await engines.close();
  }
});

test('a changed setting changes its line and nothing else', async () => {
  await run();
  writeFileSync(join(dir, 'environment'), `# By hand.\n${contents()['environment']}WAYBILL_LANGUAGE=sv\n`);
  const { environment: before = '', ...secrets } = contents();
  const { files } = await run({ set: { WAYBILL_PUBLIC_URL: 'https://other.example.org' } }, { given: {} });
  expect(files).toEqual([join(dir, 'environment')]);
  const { environment: after = '', ...same } = contents();
  expect(after).toBe(before.replace('https://files.example.org', 'https://other.example.org'));
  expect(same).toEqual(secrets);
});

test('keys that exist are used and never replaced', async () => {
  await run();
  const { 'master-keys': masterKeys, 'key-pepper': pepper } = contents();
  const other = Buffer.alloc(32, 7).toString('base64');
  await expect(run({ set: { WAYBILL_KEY_PEPPER: other } })).rejects.toThrow(`differs from ${dir}/key-pepper`);
  rmSync(join(dir, 'environment'));
  await run();
  expect(contents()).toMatchObject({ 'master-keys': masterKeys, 'key-pepper': pepper });
});

test('a missing master key is not replaced while the database has keys that it has wrapped', async () => {
  await run();
  const path = join(dir, 'master-keys');
  const kept = contents()['master-keys'] ?? '';
  await database.query(
    'insert into day_keys (day, object_id, object_bytes, key_version) values (30000, gen_random_uuid(), 60, 1)',
  );
  rmSync(path);
  const before = contents();
  await expect(run({ set: { WAYBILL_LANGUAGE: 'sv' } })).rejects.toThrow(
    `${path} with the master keys is missing, and the database has keys that they have wrapped. Copy the file from the backup`,
  );
  expect(contents()).toEqual(before);
  writeFileSync(path, kept, { mode: 0o600 });
  expect((await run()).failures).toEqual([]);
});

test('keys can be elsewhere', async () => {
  const elsewhere = (name: string) => join(dir, '..', name);
  const paths = { WAYBILL_MASTER_KEY_FILE: elsewhere('keys'), WAYBILL_KEY_PEPPER_FILE: elsewhere('pepper') };
  const { files } = await run({ set: paths });
  expect(files).toEqual(expect.arrayContaining(Object.values(paths)));
  expect((await run({ set: paths })).files).toEqual([]);
});

test('all missing settings are named, and nothing is written', async () => {
  const running = run({}, { given: { WAYBILL_PUBLIC_URL: 'files.example.org' } });
  await expect(running).rejects.toThrow(/WAYBILL_PUBLIC_URL is an address(.|\n)*WAYBILL_DATABASE_URL is not set/);
  expect(() => readdirSync(dir)).toThrow('ENOENT');
});

test('on a terminal, only what is missing is asked for', async () => {
  const asked: string[] = [];
  const { WAYBILL_S3_BUCKET: _, ...others } = given();
  const answers: Record<string, string> = {
    WAYBILL_S3_BUCKET: bucket,
    The: 'anna@example.org',
    Its: '46700000002',
    Your: 'maya@example.org',
  };
  const ask: Ask = async ({ text, suggestion }) => {
    const [name = ''] = text.split(/\s/);
    asked.push(name);
    return answers[name] ?? suggestion ?? '';
  };
  const { account, administrator } = await run({}, { given: others, ask });
  expect(asked).toEqual(['WAYBILL_S3_BUCKET', 'WAYBILL_CLAMD', 'WAYBILL_SCAN_MAX_BYTES', 'The', 'Its', 'Your']);
  expect(account?.email).toBe('anna@example.org');
  expect(administrator).toMatchObject({ email: 'maya@example.org' });
});

test('an engine that is away does not undo the rest, and the next run continues', async () => {
  const away = { WAYBILL_S3_ENDPOINT: 'http://127.0.0.1:9' };
  const result = await run({ ...first, set: away });
  expect(result).toMatchObject({ bucketCreated: false, account: { email: first.email } });
  expect(result.failures).toEqual([expect.stringMatching(/^bucket: .*ECONNREFUSED/)]);
  const again = await run(first);
  expect(again).toMatchObject({ bucketCreated: true, failures: [], account: undefined });
});

test('a folder that cannot be written is named, with what to do', async () => {
  writeFileSync(join(dir, '..', 'file'), '');
  const running = run({ dir: join(dir, '..', 'file', 'etc') });
  await expect(running).rejects.toThrow(/cannot be read or written \(ENOTDIR\)\. Run this command as root/);
});

test('a secret that everyone can read is refused', async () => {
  await run();
  chmodSync(join(dir, 'key-pepper'), 0o644);
  await expect(run()).rejects.toThrow(`Run: chmod o= ${dir}/key-pepper`);
});
