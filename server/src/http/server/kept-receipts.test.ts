// A receipt outlives everything that it is about. Time passes as in tests of retention: the rows get older.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestExchange, type TestExchange } from '../../../test/exchange.ts';
import { sentLink } from '../../../test/links.ts';
import { memoryLogObjects } from '../../../test/memory/memory-log-objects.ts';
import { memoryMailer } from '../../../test/memory/memory-mailer.ts';
import { memoryObjectStore } from '../../../test/memory/memory-object-store.ts';
import { requestV1 } from '../../../test/request-v1.ts';
import { runAdmin } from '../../../test/run-admin.ts';
import { buildTestServer } from '../../../test/server.ts';
import { replaceContacts } from '../../domain/contacts/replace-contacts.ts';
import { makeLogPolicy } from '../../domain/evidence/public-log.ts';
import { Sequencer } from '../../domain/evidence/sequencer.ts';
import { DayKeys } from '../../domain/keys/day-keys.ts';
import { openLink } from '../../domain/links/open-link.ts';
import { recordDelivery } from '../../domain/links/record-delivery.ts';
import { sendMessage } from '../../domain/outbox/send-message.ts';
import { sweep } from '../../domain/sweep.ts';

const folder = mkdtempSync(join(tmpdir(), 'waybill-kept-receipts-'));
const policyFile = join(folder, 'policy.txt');
const live = new AbortController().signal;
const kim = { email: 'kim.karlsson@example.net', name: 'Kim Karlsson' };
const logObjects = memoryLogObjects();
const objects = memoryObjectStore();
let exchange: TestExchange;
let app: ReturnType<typeof buildTestServer>;
beforeAll(async () => {
  exchange = await openTestExchange(memoryObjectStore(), objects);
  Object.assign(exchange.engines, { logObjects });
  app = buildTestServer(exchange);
});
afterAll(async () => {
  await app.close();
  await exchange[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** Logs what happened, as `work` does once a second. */
async function sequence(): Promise<void> {
  const sequencer = new Sequencer(exchange.engines);
  while (await sequencer.step(live));
  await sequencer.stop();
}

/** Sends a file to Kim, who gets all of it. Day keys are chosen as nine days ago. */
async function deliver() {
  const { engines, database } = exchange;
  const { store, masterKeys, random, dayKeys } = engines;
  const clock = async () => (await store.dayKeys.clock()) - 9 * 86_400;
  const past = new DayKeys({ store: { ...store, dayKeys: { ...store.dayKeys, clock } }, objects, masterKeys, random });
  Object.assign(engines, { dayKeys: past });
  const sender = await exchange.account();
  await replaceContacts(engines, sender, { contacts: [kim], lenient: false });
  const { dropId, link } = await sentLink(exchange, ['contract.pdf'], [kim.email], sender);
  Object.assign(engines, { dayKeys });
  const sendMails = async () => {
    for (const { id } of await database.query<{ id: string }>('select id from messages where drop_id = $1', [dropId]))
      await sendMessage({ ...engines, mailer: memoryMailer() }, sender.accountId, id);
  };
  await sendMails();
  await openLink(engines, link);
  const [file] = await store.links.files(link);
  if (!file) throw new Error('there is no file');
  await recordDelivery(engines, link, [{ file, sent: { start: 0, end: file.sizeBytes } }]);
  await sendMails();
  await sequence();
  const readReceipt = async (format: 'json' | 'pdf') => {
    const path = `/drops/${dropId}/receivers/0/receipt.${format}`;
    const { status, bytes } = await requestV1(app, 'GET', path, { key: sender.apiKey });
    return { status, bytes };
  };
  return { dropId, readReceipt };
}

/** Verifies files as anybody can, by both verifiers, where there is no network. Returns what `waybill verify` says. */
function verifyOffline(...paths: readonly string[]): string {
  const run = (...words: readonly string[]) => {
    const { status, stderr, stdout } = spawnSync('unshare', ['-r', '-n', ...words], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout;
  };
  const locate = (file: string) => fileURLToPath(new URL(`../../../../${file}`, import.meta.url));
  const trust = ['--policy', policyFile];
  for (const path of paths) run('python3', '-B', locate('evidence/python/verify_receipt.py'), path, ...trust);
  const waybill = [process.execPath, '--conditions=source', locate('client/src/command/main.ts')];
  return run(...waybill, 'verify', ...paths, ...trust);
}

/** Ends what is due; records of the history, or evidence, are kept no longer if that is said. */
const sweepKeeping = (keep: { history?: number; evidence?: number } = {}) => {
  const { engines } = exchange;
  const keepSeconds = { ...engines.policy.keepSeconds, ...keep };
  return sweep({ ...engines, policy: { ...engines.policy, keepSeconds } });
};

const checkLog = async () => JSON.parse(await runAdmin(exchange, 'log', 'check', '--json')) as object;

/**
 * Lists what names the drop or Kim: tables, and objects of the log. The audit and the events have a retention of their own.
 * “kim” alone also occurs by chance in the signatures of a checkpoint.
 */
async function findTraces(dropId: string): Promise<string[]> {
  const { database } = exchange;
  const columns = await database.query<{ table: string; column: string }>(
    `select table_name as table, column_name as column from information_schema.columns
     where table_schema = 'public' and (column_name = 'drop_id' or (table_name = 'drops' and column_name = 'id'))
       and table_name not in ('audit_entries', 'events', 'evidence_entries')`,
  );
  const found = new Set<string>();
  for (const { table, column } of columns)
    if ((await database.query(`select from ${table} where ${column} = $1`, [dropId])).length > 0) found.add(table);
  for (const table of ['evidence_entries', 'evidence_logs', 'evidence_keys'])
    if ((await database.query(`select from ${table} as one where one::text ~* 'kim[@. ]|karlsson'`)).length > 0)
      found.add(table);
  for (const [name, bytes] of logObjects.objects)
    if (/kim[@. ]|karlsson/i.test(`${name} ${bytes.toString()}`)) found.add(name);
  return [...found].toSorted();
}

test('a receipt verifies after its drop expired, its key was destroyed, its rows were purged and its receiver was erased', async () => {
  const { database } = exchange;
  const { dropId, readReceipt } = await deliver();
  const keep = async (name: string) => {
    const path = join(folder, name);
    writeFileSync(path, (await readReceipt(name.endsWith('pdf') ? 'pdf' : 'json')).bytes);
    return path;
  };
  const first = await keep('first.pdf');
  const traces = ['deliveries', 'drops', 'evidence_entries', 'files', 'links', 'messages'];
  expect(await findTraces(dropId)).toEqual(expect.arrayContaining(traces));

  // It expires, and the key of its day is destroyed.
  await exchange.expire(dropId, '2 days');
  await database.query(`update day_key_objects set created_at = created_at - interval '1 hour'`);
  await sweepKeeping();
  await sequence();
  expect([...objects.objects.keys()].filter((name) => name.startsWith('day-keys/'))).toEqual([]);
  const expired = await keep('expired.pdf');

  // Its rows are purged. As long as evidence is kept, a receipt can be made.
  await database.query(`update drops set ended_at = now() - interval '2 days' where id = $1`, [dropId]);
  await sweepKeeping({ history: 86_400 });
  expect(await findTraces(dropId)).toEqual(['evidence_entries']);
  const purged = await keep('purged.json');

  // Kim is erased, then all evidence is too old: nothing names Kim, and the log is whole.
  await runAdmin(exchange, 'evidence', 'erase', '--address', kim.email, '--yes');
  expect(await findTraces(dropId)).toEqual([]);
  expect(await readReceipt('pdf')).toMatchObject({ status: 410 });
  expect(await checkLog()).toMatchObject({ erased: 4, findings: [] });
  await sweepKeeping({ evidence: 0 });
  expect(await checkLog()).toMatchObject({ erased: 6, findings: [] });

  // Owners of a receipt can still prove what it says.
  writeFileSync(policyFile, await makeLogPolicy(exchange.engines));
  const verdicts = verifyOffline(first, expired, purged)
    .split(/^\S+:\n/m)
    .slice(1);
  expect(verdicts).toHaveLength(3);
  for (const verdict of verdicts)
    expect(verdict).toMatch(new RegExp(`^The receipt is valid\\.\n(?:.*\n)*.*handed over to ${kim.email} `));
  expect(verdicts[0]).toContain('No event says that the delivery has ended.');
  for (const verdict of verdicts.slice(1))
    expect(verdict).toMatch(/The delivery expired at .*\.\nThe key of its files was destroyed at /);
});
