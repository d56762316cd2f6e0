// A backup of a real database and a real bucket, restored when some of its files have ended.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEmptyDatabase, openTestPool } from '../../../test/database.ts';
import { engineAddresses } from '../../../test/engine-addresses.ts';
import { openTestExchange, type TestExchange } from '../../../test/exchange.ts';
import { carryOutRemedy, collectFindings, readRemedy } from '../../../test/findings.ts';
import { createEmptyBucket, openTestObjectStore, type TestObjectStore } from '../../../test/object-store.ts';
import { runAdmin } from '../../../test/run-admin.ts';
import { folderBackupPlace } from '../../engines/folder/backup-place.ts';
import { keyfileProvider } from '../../engines/keyfile/key-provider.ts';
import { databaseCopies } from '../../engines/postgres/backup/copies.ts';
import { migrationDeadlines, openDatabase } from '../../engines/postgres/database.ts';
import { migrate } from '../../engines/postgres/migrate.ts';
import { postgresStore } from '../../engines/postgres/store.ts';
import { s3BucketInventory } from '../../engines/s3/backup-place.ts';
import { s3ObjectStore } from '../../engines/s3/object-store.ts';
import { exportDayKeys, importDayKeys, mirroredDayKeys, readMirror } from '../backup/day-key-mirror.ts';
import { makeBackup } from '../backup/make-backup.ts';
import { restoreBackup } from '../backup/restore-backup.ts';
import { verifyBackup } from '../backup/verify-backup.ts';
import { dispatchDraft } from '../drops/dispatch-draft.ts';
import { ExchangeError, MissingObject } from '../exchange-error.ts';
import { checkFile } from '../files/check-file.ts';
import { readSealed } from '../files/read-sealed.ts';
import type { CheckedFile } from '../files/scrub-store.ts';
import { sweep } from '../sweep.ts';
import { DayKeys, toDate } from './day-keys.ts';
import { examineDayKeys } from './examine-day-keys.ts';
import { LostKey } from './wrapping.ts';

const signal = new AbortController().signal;
const daySeconds = 86_400;
let folder: string;
let exchange: TestExchange<TestObjectStore>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-expired-'));
  const objects = await openTestObjectStore();
  exchange = await openTestExchange(objects, objects);
});
afterAll(async () => {
  await exchange[Symbol.asyncDispose]();
  exchange.engines.objects.close();
  rmSync(folder, { recursive: true });
});

const ownSessions = new Set<number>();
const openCopies = (url: string) =>
  databaseCopies({ url, openPool: () => openTestPool(url, migrationDeadlines, ownSessions), ownSessions });
const place = (name: string) => folderBackupPlace(join(folder, name), exchange.engines.objects);

async function stored(name: string): Promise<CheckedFile> {
  const [file] = await exchange.database.query(
    `select account_id as "accountId", id, size_bytes as "sizeBytes", sha256, wrapped_key as "wrappedKey",
       key_day as "keyDay", runs from files where name = $1`,
    [name],
  );
  return file as CheckedFile;
}

test('a backup from before a file ended does not open it, and opens every other file', {
  timeout: 90_000,
}, async () => {
  const { engines, database } = exchange;
  const present = engines.dayKeys;
  const { objects, random, store } = engines;
  // Three days ago: files for one day, for two, and for seven.
  const clock = async () => (await store.dayKeys.clock()) - 3 * daySeconds;
  const past = { ...store, dayKeys: { ...store.dayKeys, clock } };
  Object.assign(engines, { dayKeys: new DayKeys({ store: past, objects, masterKeys: engines.masterKeys, random }) });
  const sender = await exchange.account('r@example.org');
  for (const [name, desttime] of [
    ['expired', 1],
    ['held', 2],
    ['alive', 7],
  ] as const) {
    await exchange.prepare(sender, ['r@example.org'], [name]);
    await dispatchDraft(engines, sender, { draft: '', parameters: { desttime, ddmessage: name } }, 'downloadfiles');
  }
  await database.query(`update drops set expires_at = expires_at - interval '3 days'`);
  await database.query(`update day_key_objects set created_at = created_at - interval '3 days'`);
  const [held] = await database.query<{ id: string }>(`select id from drops where message = 'held'`);
  const hold = { id: random.uuid(), dropId: held?.id ?? '', name: 'x', reason: 'x', placedBy: 'x' };
  await store.transaction((tx) => tx.holds.place({ ...hold, accountId: sender.accountId }));
  const expired = await stored('expired');
  await makeBackup({ ...engines, database: openCopies(database.url) }, place('backup'), { signal });
  await exportDayKeys(engines, place('mirror then'));
  await exportDayKeys(engines, place('mirror'));

  // Now.
  Object.assign(engines, { dayKeys: present });
  await sweep(engines);
  expect(await exportDayKeys(engines, place('mirror'))).toEqual({ exported: 2, removed: 1, lost: [] });

  const mirror = await readMirror(place('mirror'));
  const damage: string[] = [];
  const onDamage = ({ id }: CheckedFile) => damage.push(id);
  const verified = await verifyBackup(engines, place('backup'), { signal, dayKeys: mirror, onDamage });
  expect({ ...verified, damage }).toMatchObject({ files: 2, ended: 1, damage: [] });

  await using bucket = await createEmptyBucket();
  await using empty = await createEmptyDatabase();
  const s3 = { ...engineAddresses.s3, bucket: bucket.name };
  const pool = openTestPool(empty.url, undefined, ownSessions);
  const into = {
    store: postgresStore(openDatabase(pool)),
    objects: s3ObjectStore(s3),
    inventory: s3BucketInventory(s3),
  };
  const dayKeys = new DayKeys({ store: into.store, objects: into.objects, masterKeys: engines.masterKeys, random });
  const restoreWith = (mirrored: typeof mirror, overwrite: boolean) =>
    restoreBackup(
      {
        ...engines,
        store: into.store,
        objects: into.objects,
        masterKeys: engines.masterKeys,
        dayKeys,
        database: openCopies(empty.url),
        bucket: into.inventory,
        migrate: () => migrate(pool),
      },
      folderBackupPlace(join(folder, 'backup'), into.objects),
      { signal, dayKeys: mirrored, overwrite, sendWaiting: false },
    );
  // The key of a held file is not destroyed with its day: if it is missing, it is to be looked for.
  const { keyDay: heldDay } = await stored('held');
  const withoutHeld = new Map([...mirror].filter(([day]) => day !== heldDay));
  expect(await restoreWith(withoutHeld, false)).toMatchObject({ ended: 1, lostDays: [{ day: heldDay, files: 1 }] });
  const restored = await restoreWith(mirror, true);
  expect(restored).toMatchObject({ missing: 0, ended: 1, lostDays: [] });

  // All that is left: the backup's wrapped key, its objects, the master keys, and the day keys as they are now.
  const backup = place('backup').objects;
  const check = (mirrored: typeof mirror, file: CheckedFile) =>
    checkFile({ objects: backup, dayKeys: mirroredDayKeys(mirrored, engines.masterKeys) }, file, {
      signal,
    });
  expect(await check(mirror, expired)).toMatchObject({ problem: 'key' });
  expect(await check(await readMirror(place('mirror then')), expired)).toBeUndefined();
  await expect(dayKeys.unwrap(expired.wrappedKey, expired.keyDay, expired.id)).rejects.toMatchObject({
    code: 'damaged',
  });
  const { rows } = await pool.query<CheckedFile & { name: string }>(
    `select name, id, size_bytes as "sizeBytes", wrapped_key as "wrappedKey", key_day as "keyDay", runs
     from files where exists (select from drops where id = drop_id and ended_at is null) order by name`,
  );
  expect(rows.map(({ name }) => name)).toEqual(['alive', 'held']);
  for (const file of rows) {
    const pieces: Buffer[] = [];
    const reading = { objects: into.objects, dayKeys, downloads: engines.downloads };
    for await (const piece of readSealed(reading, file, { start: 0, end: file.sizeBytes }, signal)) {
      pieces.push(Buffer.from(piece));
    }
    expect(Buffer.concat(pieces).toString()).toBe(`content of ${file.name}`);
  }
  into.objects.close();
  into.inventory.close();
  await pool.end();
});

test('a day key that the bucket has lost stays in the mirror and is put back from there', async () => {
  const { engines, database } = exchange;
  const sender = await exchange.account();
  await exchange.upload(sender, 'readable');
  await exportDayKeys(engines, place('lost'));
  const file = await stored('readable');
  const { objectId } = (await engines.store.dayKeys.find(file.keyDay)) as { objectId: string };
  await engines.objects.delete([`day-keys/${objectId}`]);
  const { masterKeys, store, objects, random } = engines;
  const dayKeys = new DayKeys({ store, objects, masterKeys, random });
  await expect(dayKeys.open(file.keyDay)).rejects.toBeInstanceOf(MissingObject);
  const exported = await exportDayKeys({ store, dayKeys }, place('lost'));
  expect(exported.lost).toHaveLength(1);
  const needs = { ...engines, dayKeys, database: openCopies(database.url), openBackupPlace: () => place('lost') };
  expect(await importDayKeys(needs, new Map())).toMatchObject({ imported: [], lost: [{ day: file.keyDay }] });
  const run = async (...words: string[]): Promise<unknown> =>
    JSON.parse(await runAdmin({ engines: needs }, 'day-keys', ...words, '--json'));
  const otherKeys = { ...masterKeys, unwrap: () => Promise.reject(new LostKey('another key')) };
  await expect(importDayKeys({ ...needs, masterKeys: otherKeys }, new Map())).rejects.toThrow(
    'The master key of version 1 does not open what is stored.',
  );
  expect(await run('import', '--from', 'lost')).toEqual({ imported: 1, replaced: [], missing: [] });
  expect(await run('export', '--to', 'lost')).toMatchObject({ removed: 0, lost: [] });
  expect(await dayKeys.unwrap(file.wrappedKey, file.keyDay, file.id)).toHaveLength(32);
});

test('with another master key under the same version, the right one helps, as the remedy says', async () => {
  const { store, dayKeys, masterKeys: right, random } = exchange.engines;
  await exchange.upload(await exchange.account(), 'needs a day key');
  const path = join(folder, 'master-keys');
  writeFileSync(path, `1:${randomBytes(32).toString('base64')}`, { mode: 0o600 });
  let masterKeys = keyfileProvider(path, random);
  await carryOutRemedy(
    'keys.master',
    () => examineDayKeys({ store, dayKeys, masterKeys }),
    (remedy) => {
      readRemedy(remedy, /(Put the right key of that version in place)/);
      masterKeys = right;
    },
  );
});

test('a day key that is nowhere is replaced while no process runs, with what it has wrapped only on request', async () => {
  const { engines, database } = exchange;
  const { masterKeys, store, objects, random } = engines;
  const dayKeys = new DayKeys({ store, objects, masterKeys, random });
  const sender = await exchange.account('c@example.org');
  const { day: unused } = await dayKeys.wrap(Buffer.alloc(32), 'nothing', 20 * daySeconds);
  await exchange.prepare(sender, ['c@example.org'], []);
  await dispatchDraft(
    engines,
    sender,
    { draft: '', parameters: { desttime: 12, ddmessage: 'request' } },
    'uploadfiles',
  );
  const readRequest = async () =>
    (await database.query(`select key_day as day, ended_at from drops where message = 'request'`))[0];
  const { day: asked } = (await readRequest()) as { day: number };
  await exchange.upload(sender, 'unreadable');
  const { keyDay: used } = await stored('unreadable');
  await exportDayKeys(engines, place('nowhere'));
  const present = await store.dayKeys.list();
  for (const { objectId } of present.filter(({ day }) => [unused, asked, used].includes(day))) {
    await objects.delete([`day-keys/${objectId}`]);
  }
  rmSync(join(folder, 'nowhere'), { recursive: true });
  await place('nowhere').write('day-keys.json', toStream('{"format":1,"keys":[]}'));

  // The doctor, what it advises, and the doctor again.
  const ask = async () => {
    const fresh = new DayKeys({ store, objects, masterKeys, random });
    return collectFindings(examineDayKeys({ store, masterKeys, dayKeys: fresh }));
  };
  expect(await ask()).toMatchObject([{ status: 'fault', remedy: expect.stringContaining('day-keys import --from') }]);
  const openOthers = (url: string, isAlone: boolean) => ({
    ...openCopies(url),
    requireAlone: isAlone
      ? async () => undefined
      : () => Promise.reject(new ExchangeError('precondition_failed', 'The database is in use.')),
  });
  const run = async (isAlone: boolean, ...words: string[]): Promise<unknown> => {
    const needs = {
      ...engines,
      dayKeys: new DayKeys({ store, objects, masterKeys, random }),
      database: openOthers(database.url, isAlone),
      openBackupPlace: () => place('nowhere'),
    };
    return JSON.parse(await runAdmin({ engines: needs }, 'day-keys', 'import', '--from', 'x', ...words, '--json'));
  };
  // Files of other tests may end on the same day.
  const line = (day: number, files: unknown = expect.any(Number)) => ({ date: toDate(day), files });
  const missing = [
    { ...line(used), is_used: true },
    { ...line(asked, 0), is_used: true },
    { ...line(unused, 0), is_used: false },
  ];
  expect(await run(false, '--end-files')).toEqual({ imported: 0, replaced: [], missing });
  expect(await run(true)).toEqual({ imported: 0, replaced: [line(unused, 0)], missing: missing.slice(0, 2) });
  const replaced = [line(used), line(asked, 0)];
  expect(await run(true, '--end-files')).toEqual({ imported: 0, replaced, missing: [] });
  expect(await readRequest()).toEqual({ day: asked, ended_at: expect.any(Date) });
  expect(await run(true)).toEqual({ imported: 0, replaced: [], missing: [] });
  process.exitCode = 0;
  expect(await ask()).toMatchObject([{ status: 'ok' }]);
  Object.assign(engines, { dayKeys: new DayKeys({ store, objects, masterKeys, random }) });
  await exchange.upload(sender, 'readable again');
  const left = await database.query(`select name, state from files where name like '%read%' order by name`);
  expect(left).toContainEqual({ name: 'unreadable', state: 'deleting' });
  expect(left).toContainEqual({ name: 'readable again', state: 'ready' });
});

async function* toStream(text: string) {
  yield Buffer.from(text);
}
