// Backups while the real store fails for one object, by a proxy in front of it, and while it fails for all.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestPool } from '../../../test/database.ts';
import { engineAddresses } from '../../../test/engine-addresses.ts';
import { openTestExchange } from '../../../test/exchange.ts';
import { openFailingStore, startFailingObjects } from '../../../test/failing-object.ts';
import { createEmptyBucket } from '../../../test/object-store.ts';
import { runAdmin } from '../../../test/run-admin.ts';
import { folderBackupPlace } from '../../engines/folder/backup-place.ts';
import { databaseCopies } from '../../engines/postgres/backup/copies.ts';
import { migrationDeadlines } from '../../engines/postgres/database.ts';
import { s3BackupPlace } from '../../engines/s3/backup-place.ts';
import { s3ObjectStore } from '../../engines/s3/object-store.ts';
import { chunkKey } from '../files/sealing.ts';
import { UnreadableObject, unlessUnreadable } from '../files/unreadable-object.ts';
import type { BackupPlace } from './backup-place.ts';
import { makeBackup } from './make-backup.ts';

const { signal } = new AbortController();
const failing = new Set<string>();
let world: Awaited<ReturnType<typeof open>>;
beforeAll(async () => {
  world = await open();
});
afterAll(() => world.close());

async function open() {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-backup-'));
  const bucket = await createEmptyBucket();
  const target = await createEmptyBucket();
  const proxy = await startFailingObjects(failing);
  const s3 = { ...engineAddresses.s3, endpoint: proxy.endpoint, bucket: bucket.name };
  const direct = s3ObjectStore({ ...engineAddresses.s3, bucket: bucket.name });
  const proxied = openFailingStore(proxy, failing, bucket.name);
  const objects = { ...direct, read: proxied.read };
  const exchange = await openTestExchange(objects);
  const { url } = exchange.database;
  const database = databaseCopies({ url, openPool: () => openTestPool(url, migrationDeadlines) });
  const sender = await exchange.account();
  for (const name of ['first', 'second', 'third']) await exchange.upload(sender, name);
  const rows = await exchange.database.query<{ id: string; name: string }>('select id, name from files');
  const place: { folder: BackupPlace; bucket: BackupPlace } = {
    folder: folderBackupPlace(folder, objects),
    bucket: s3BackupPlace({ ...s3, place: { bucket: target.name, prefix: 'daily/' } }),
  };
  const engines = { ...exchange.engines, database, openBackupPlace: () => place.folder };
  return {
    engines,
    proxy,
    place,
    folder,
    findKey: (name: string) => chunkKey(rows.find((row) => row.name === name)?.id ?? '', 0),
    query: exchange.database.query,
    fail: (key: string) => failing.add(`${bucket.name}/${key}`),
    async close() {
      direct.close();
      proxied.close();
      place.bucket.close();
      for (const part of [exchange, proxy, bucket, target]) await part[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

test('an object that always fails is named, and everything else is in the backup', { timeout: 90_000 }, async () => {
  const { engines, place, folder, findKey, fail } = world;
  fail(findKey('second'));
  const printed = await runAdmin({ engines }, 'backup', 'make', '--to', folder, '--json');
  expect(process.exitCode).toBe(1);
  process.exitCode = undefined;
  expect(JSON.parse(printed)).toMatchObject({
    files: 3,
    copied_objects: 2,
    lost_files: 0,
    unreadable_files: 1,
    unreadable_objects: [findKey('second')],
  });
  const has = (name: string) => place.folder.has({ key: findKey(name), bytes: 1 });
  expect(await Promise.all(['first', 'second', 'third'].map(has))).toEqual([true, false, true]);

  const { manifest } = await makeBackup(engines, place.bucket, { signal });
  expect(manifest.absent).toMatchObject({ ended: 0, lost: 0, unreadable: 1 });

  failing.clear();
  const { manifest: complete, copied } = await makeBackup(engines, place.folder, { signal });
  expect([complete.absent.unreadable, copied.objects, copied.kept]).toEqual([0, 1, 2]);
});

test('a place that fails is not taken for objects that cannot be read', async () => {
  const { engines, place, findKey } = world;
  // Of the other bucket, in which the copy would be.
  failing.add(`daily/objects/${findKey('first')}`);
  const empty: BackupPlace = { ...place.bucket, has: async () => false };
  await expect(makeBackup(engines, empty, { signal })).rejects.toMatchObject({ code: 'unavailable' });
  failing.clear();
});

test('a store that is away ends the work, whichever object was asked for', async () => {
  const { engines, place, proxy, findKey, fail } = world;
  const key = findKey('first');
  const read = (wanted: string) =>
    unlessUnreadable(engines.objects, signal, () =>
      engines.objects.read(wanted, { offset: 0, length: 1 }, signal),
    ).catch((error: unknown) => (error as Error).name);
  expect(await read(key)).toHaveLength(1);
  fail(key);
  expect(await read(key)).toBe(UnreadableObject.name);
  expect(await read(findKey('third'))).toHaveLength(1);
  expect(await read(findKey('nothing'))).toBe('MissingObject');
  failing.clear();
  proxy.isAway = true;
  expect(await read(key)).toBe('ExchangeError');
  const empty: BackupPlace = { ...place.folder, has: async () => false };
  await expect(makeBackup(engines, empty, { signal })).rejects.toMatchObject({ code: 'unavailable' });
  proxy.isAway = false;
});

test('a lost object of a file under a legal hold is lost, not ended', async () => {
  const { engines, place, findKey, query } = world;
  await query(`update files set state = 'held' where name = 'third'`);
  await engines.objects.delete([findKey('third')]);
  const { manifest } = await makeBackup(engines, { ...place.folder, has: async () => false }, { signal });
  expect(manifest.absent).toMatchObject({ ended: 0, lost: 1 });
});
