import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestExchange, type TestExchange } from '../../../test/exchange.ts';
import { openFailingStore, startFailingObjects } from '../../../test/failing-object.ts';
import { createEmptyBucket } from '../../../test/object-store.ts';
import { openTransit } from '../../../test/servers/vault.ts';
import type { S3ObjectStore } from '../../engines/s3/object-store.ts';
import { vaultKeyProvider } from '../../engines/vault/key-provider.ts';
import { scrubAlone } from '../files/scrub.ts';
import type { KeyProvider } from '../ports/key-provider.ts';
import { sweep } from '../sweep.ts';
import { checkKeysHourly } from './check-master-keys.ts';
import { DayKeys } from './day-keys.ts';
import { rotateMasterKey } from './rotate-master-key.ts';

const daySeconds = 86_400;
const folder = mkdtempSync(join(tmpdir(), 'waybill-unavailable-keys-'));
const tokenFile = join(folder, 'token');
const closing: (() => Promise<void> | void)[] = [];
let s3: Awaited<ReturnType<typeof startFailingObjects>>;
let vault: Awaited<ReturnType<typeof openTransit>>;
let exchange: TestExchange;
let objects: S3ObjectStore;
let masterKeys: KeyProvider;
const calls = { vault: 0, s3: 0 };
const reports: string[] = [];
let token = '';
const writeToken = () => writeFileSync(tokenFile, token, { mode: 0o600 });

/** The keys as a process that was just started has them, or one whose clock is this many days behind. */
function startProcess(daysAgo = 0) {
  const { store, random } = exchange.engines;
  const clock = async () => (await store.dayKeys.clock()) - daysAgo * daySeconds;
  const shifted = { ...store, dayKeys: { ...store.dayKeys, clock } };
  const counted = {
    ...objects,
    read: (...call: Parameters<typeof objects.read>) => {
      calls.s3 += 1;
      return objects.read(...call);
    },
  };
  const dayKeys = new DayKeys({ store: shifted, objects: counted, masterKeys, random });
  Object.assign(exchange.engines, { dayKeys, masterKeys });
}

beforeAll(async () => {
  s3 = await startFailingObjects(new Set());
  vault = await openTransit();
  token = vault.token;
  writeToken();
  const bucket = await createEmptyBucket();
  objects = openFailingStore(s3, new Set(), bucket.name);
  const provider = vaultKeyProvider({ keyUrl: vault.keyUrl, tokenFile });
  masterKeys = {
    ...provider,
    unwrap: (...call) => {
      calls.vault += 1;
      return provider.unwrap(...call);
    },
  };
  exchange = await openTestExchange(objects, objects);
  exchange.engines.logger.warn = (event) => void reports.push(event);
  closing.push(() => objects.close());
  for (const each of [exchange, bucket, vault, s3]) closing.push(async () => each[Symbol.asyncDispose]());
});
afterAll(async () => {
  for (const close of closing) await close();
  rmSync(folder, { recursive: true });
});

const daysOfFiles = async () => {
  const today = Math.floor(Date.now() / 1000 / daySeconds);
  const rows = await exchange.database.query<{ day: number }>('select key_day as day from files');
  return rows.map(({ day }) => day - today);
};

test.each<[string, (isAway: boolean) => void]>([
  ['the key service', (isAway) => vault.setToken(isAway ? 'hvs.other' : token)],
  ['the object store', (isAway) => void (s3.isAway = isAway)],
  ['the token', (isAway) => (isAway ? rmSync(tokenFile) : writeToken())],
])('while %s is away after midnight, no key is taken for lost, and the sweep ends soon', async (_what, setAway) => {
  await exchange.database.query('truncate files cascade');
  const sender = await exchange.account();
  startProcess(4);
  for (let number = 0; number < 5; number += 1) await exchange.upload(sender, randomUUID());
  startProcess();
  Object.assign(calls, { vault: 0, s3: 0 });
  reports.length = 0;
  setAway(true);
  await expect(sweep(exchange.engines)).rejects.toMatchObject({ code: 'unavailable' });
  // One key is tried, not each.
  expect(calls.vault + calls.s3).toBeLessThanOrEqual(2);
  await expect(scrubAlone(exchange.engines, { fromStart: true })).rejects.toThrow();
  expect(reports).toEqual([]);
  expect(await exchange.engines.store.scrub.countDamaged()).toBe(0);
  setAway(false);
  await sweep(exchange.engines);
  for (const days of await daysOfFiles()) expect(days).toBeGreaterThanOrEqual(1);
});

test('a lost day key is reported once, and what it wrapped does not keep the rest from being renewed', async () => {
  await exchange.database.query('truncate files, uploads, day_keys, day_key_objects cascade');
  const sender = await exchange.account();
  startProcess(4);
  await exchange.upload(sender, 'lost');
  const [lost] = await exchange.engines.store.dayKeys.list();
  await objects.delete([`day-keys/${lost?.objectId}`]);
  // More than fit into a batch.
  await exchange.database.query(
    `insert into files (account_id, id, draft, state, name, media_type, size_bytes, sha256, crc32, scan, chunk_count, wrapped_key, key_day)
     select account_id, gen_random_uuid(), draft, state, 'copy ' || number, media_type, size_bytes, sha256, crc32, scan, chunk_count,
       wrapped_key, key_day
     from files, generate_series(1, 600) as number where name = 'lost'`,
  );
  startProcess(3);
  await exchange.upload(sender, 'renewed');
  startProcess();
  reports.length = 0;
  Object.assign(calls, { vault: 0, s3: 0 });
  for (let sweeps = 0; sweeps < 3; sweeps += 1) await sweep(exchange.engines);
  expect(reports).toEqual(['a day key is lost']);
  expect(calls.s3).toBeLessThan(20);
  const days = await daysOfFiles();
  expect(days.filter((day) => day >= 1)).toHaveLength(1);
  expect(days.filter((day) => day < 0)).toHaveLength(601);
  // Another process reports it, too.
  startProcess();
  await sweep(exchange.engines);
  expect(reports).toHaveLength(2);
});

test('a rotation passes over a day key that is lost, and names it', async () => {
  await exchange.database.query('truncate files, day_keys, day_key_objects cascade');
  startProcess();
  for (const days of [3, 4, 5]) await exchange.engines.dayKeys.wrap(Buffer.alloc(32), 'a file', days * daySeconds);
  const [first] = await exchange.engines.store.dayKeys.list();
  await objects.delete([`day-keys/${first?.objectId}`]);
  vault.rotate();
  const lost: string[] = [];
  const replaced = await rotateMasterKey(exchange.engines, undefined, (key) => lost.push(key));
  expect({ replaced, lost }).toEqual({ replaced: 2, lost: [expect.stringMatching(/^day key of \d{4}-\d\d-\d\d$/)] });
});

test('however often the keys are checked, the key service and the object store are asked once an hour', async () => {
  await exchange.database.query('truncate files, day_keys, day_key_objects cascade');
  startProcess();
  await exchange.engines.dayKeys.wrap(Buffer.alloc(32), 'a file', daySeconds);
  let nowMs = 0;
  const check = checkKeysHourly(exchange.engines, () => nowMs);
  Object.assign(calls, { vault: 0, s3: 0 });
  for (let count = 0; count < 720; count += 1) {
    await check();
    nowMs += 5_000;
  }
  expect(calls).toEqual({ vault: 1, s3: 1 });
  await check();
  expect(calls).toEqual({ vault: 2, s3: 2 });
});
