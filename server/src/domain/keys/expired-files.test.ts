// A backup of a real database and a real bucket, restored when some of its files have ended.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { folderBackupPlace } from '../../engines/folder/backup-place.ts';
import { databaseCopies } from '../../engines/postgres/backup/copies.ts';
import { migrationDeadlines, openDatabase } from '../../engines/postgres/database.ts';
import { migrate } from '../../engines/postgres/migrate.ts';
import { postgresStore } from '../../engines/postgres/store.ts';
import { s3BucketInventory } from '../../engines/s3/backup-place.ts';
import { s3ObjectStore } from '../../engines/s3/object-store.ts';
import { createEmptyDatabase, openTestPool } from '../../testing/database.ts';
import { engineAddresses } from '../../testing/engine-addresses.ts';
import { openTestExchange, type TestExchange } from '../../testing/exchange.ts';
import { createEmptyBucket, openTestObjectStore, type TestObjectStore } from '../../testing/object-store.ts';
import { runAdmin } from '../../testing/run-admin.ts';
import { exportDayKeys, importDayKeys, mirroredDayKeys, readMirror } from '../backup/day-key-mirror.ts';
import { makeBackup } from '../backup/make-backup.ts';
import { restoreBackup } from '../backup/restore-backup.ts';
import { verifyBackup } from '../backup/verify-backup.ts';
import { createDrop } from '../drops/create-drop.ts';
import { checkFile } from '../files/check-file.ts';
import { readSealed } from '../files/read-sealed.ts';
import type { CheckedFile } from '../files/scrub-store.ts';
import { MissingObject } from '../missing-object.ts';
import { sweep } from '../sweep.ts';
import { DayKeys } from './day-keys.ts';

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
    await createDrop(engines, sender, { draft: '', parameters: { desttime, ddmessage: name } });
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
  const restored = await restoreBackup(
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
    { signal, dayKeys: mirror, overwrite: false, sendWaiting: false },
  );
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
  expect(await run('import', '--from', 'lost')).toEqual({ imported: 1, missing: [] });
  expect(await run('export', '--to', 'lost')).toMatchObject({ removed: 0, lost: [] });
  expect(await dayKeys.unwrap(file.wrappedKey, file.keyDay, file.id)).toHaveLength(32);
});
