// Backups of a real database that are removed when they are old, from a directory.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireKind } from '../../../../tools/test/require-kind.ts';
import { readyUpload } from '../../../test/account-uploads.ts';
import { openTestPool } from '../../../test/database.ts';
import { openTestExchange } from '../../../test/exchange.ts';
import { carryOutRemedy, readRemedy } from '../../../test/findings.ts';
import { memoryObjectStore } from '../../../test/memory/memory-object-store.ts';
import { runAdmin } from '../../../test/run-admin.ts';
import { sendDrop } from '../../../test/send-drop.ts';
import { folderBackupPlace } from '../../engines/folder/backup-place.ts';
import { databaseCopies } from '../../engines/postgres/backup/copies.ts';
import { migrationDeadlines, openDatabase } from '../../engines/postgres/database.ts';
import { examinePostgres } from '../../engines/postgres/examine.ts';
import { readBacklog } from '../../engines/postgres/jobs/backlog.ts';
import { revokeSentDrop } from '../drops/revoke-drop.ts';
import { chunkKey } from '../files/sealing.ts';
import { sweep } from '../sweep.ts';
import { exportDayKeys, readMirror } from './day-key-mirror.ts';
import { makeBackup } from './make-backup.ts';
import { pruneBackups } from './prune-backups.ts';
import { verifyBackup } from './verify-backup.ts';

// For the client programs of PostgreSQL.
requireKind('engines');

const { signal } = new AbortController();
const never = new Date(0);
const always = new Date(Date.now() + 86_400_000);
let world: Awaited<ReturnType<typeof open>>;
beforeAll(async () => {
  world = await open();
}, 90_000);
afterAll(() => world.close());

async function open() {
  const exchange = await openTestExchange(memoryObjectStore());
  const { url } = exchange.database;
  const database = databaseCopies({ url, openPool: () => openTestPool(url, migrationDeadlines) });
  const engines = { ...exchange.engines, database };
  const sender = await exchange.account();
  const folders: string[] = [];
  return {
    ...exchange,
    engines,
    sender,
    /** An empty place, and what is needed to work with it. */
    newPlace() {
      const folder = mkdtempSync(join(tmpdir(), 'waybill-prune-'));
      folders.push(folder);
      const place = folderBackupPlace(folder, engines.objects);
      return {
        folder,
        place,
        backUp: async () => (await makeBackup(engines, place, { signal })).manifest.id,
        has: async (...names: string[]) => {
          const rows = await exchange.database.query<{ id: string; name: string }>('select id, name from files');
          const keys = names.map((name) => chunkKey(rows.find((row) => row.name === name)?.id ?? '', 0));
          return await Promise.all(keys.map((key) => place.has({ key, bytes: 1 })));
        },
      };
    },
    async close() {
      await exchange[Symbol.asyncDispose]();
      for (const folder of folders) rmSync(folder, { recursive: true });
    },
  };
}

test('old backups are removed with the objects that only they need, and the others can be read', async () => {
  const { place, backUp, has } = world.newPlace();
  for (const name of ['ended', 'staying']) await world.upload(world.sender, name);
  const first = await backUp();
  const before = await has('ended', 'staying');
  // The row stays, so that the test finds its object.
  await world.database.query(`update files set state = 'deleting', wrapped_key = null where name = 'ended'`);
  const second = await backUp();
  expect(await pruneBackups(place, { olderThan: never, signal })).toEqual({ removed: [], objects: 0 });
  expect(await pruneBackups(place, { olderThan: always, signal })).toEqual({ removed: [first], objects: 1 });
  expect([before, await has('ended', 'staying'), await place.folders('backups')]).toEqual([
    [true, true],
    [false, true],
    [second],
  ]);
  // The last one stays, however old it is.
  expect(await pruneBackups(place, { olderThan: always, signal })).toEqual({ removed: [], objects: 0 });
  await exportDayKeys(world.engines, place);
  const damage: unknown[] = [];
  const onDamage = (_: unknown, found: unknown) => damage.push(found);
  await verifyBackup(world.engines, place, { id: second, signal, dayKeys: await readMirror(place), onDamage });
  expect(damage).toEqual([]);
});

test('objects stay while a remaining backup has a file that was sent again with them', async () => {
  const { place, backUp } = world.newPlace();
  const first = await sendDrop(world, world.sender, { uploads: [await readyUpload(world, world.sender, 'shared')] });
  const [file] = await world.database.query<{ id: string }>('select id from files where drop_id = $1', [first]);
  const [id, object] = [String(file?.id), { key: chunkKey(String(file?.id), 0), bytes: 1 }];
  const old = await backUp();
  const second = await sendDrop(world, world.sender, { sentFiles: [id] });
  await revokeSentDrop(world.engines, world.sender, { type: 'downloadfiles', dropId: first }, {});
  await sweep(world.engines);
  const kept = await backUp();
  expect(await pruneBackups(place, { olderThan: always, signal })).toMatchObject({ removed: [old] });
  expect(await place.has(object)).toBe(true);
  await exportDayKeys(world.engines, place);
  const damage: unknown[] = [];
  const onDamage = (_: unknown, found: unknown) => damage.push(found);
  await verifyBackup(world.engines, place, { id: kept, signal, dayKeys: await readMirror(place), onDamage });
  expect(damage).toEqual([]);
  await revokeSentDrop(world.engines, world.sender, { type: 'downloadfiles', dropId: second }, {});
  await sweep(world.engines);
  await backUp();
  expect(await pruneBackups(place, { olderThan: always, signal })).toMatchObject({ removed: [kept] });
  expect(await place.has(object)).toBe(false);
});

test('the newest backup that lacks no file is kept too, and a backup that was interrupted is removed', async () => {
  const { place, backUp } = world.newPlace();
  const whole = await backUp();
  await world.upload(world.sender, 'lost');
  const [lost] = await world.database.query<{ id: string }>(`select id from files where name = 'lost'`);
  await world.engines.objects.delete([chunkKey(lost?.id ?? '', 0)]);
  const [lacking, newest] = [await backUp(), await backUp()];
  const interrupted = '20200101T000000000Z-0000';
  await place.write(`backups/${interrupted}/files.jsonl`, toStream(''));
  await place.write('backups/notes/of-others', toStream('x'));
  const { removed } = await pruneBackups(place, { olderThan: always, signal });
  expect(removed.toSorted()).toEqual([interrupted, lacking]);
  expect((await place.folders('backups')).toSorted()).toEqual([whole, newest, 'notes'].toSorted());
  await world.engines.store.files.removeStaged(world.sender.accountId, '', 'lost');
});

test('nothing is removed while a list that is kept is not what was written', async () => {
  const { folder, place, backUp } = world.newPlace();
  const [first, second] = [await backUp(), await backUp()];
  writeFileSync(join(folder, 'backups', second, 'files.jsonl'), '');
  await expect(pruneBackups(place, { olderThan: always, signal })).rejects.toThrow('files.jsonl is damaged');
  expect((await place.folders('backups')).toSorted()).toEqual([first, second]);
});

test('the command makes a backup and removes older ones; two at once are refused', async () => {
  const { folder, place, backUp } = world.newPlace();
  await place.write('backups/20200101T000000000Z-0000/files.jsonl', toStream(''));
  const recent = await backUp();
  const engines = { ...world.engines, openBackupPlace: () => place };
  const command = ['backup', 'make', '--to', folder, '--day-keys', `${folder}-keys`, '--keep-days', '7', '--json'];
  const printed = JSON.parse(await runAdmin({ engines }, ...command)) as { backup: string };
  expect(printed).toMatchObject({ removed_backups: ['20200101T000000000Z-0000'], removed_objects: 0 });
  expect((await place.folders('backups')).toSorted()).toEqual([recent, printed.backup]);
  const name = `backup to ${JSON.stringify({ folder })}`;
  await engines.store.exclusively(name, async () => {
    await expect(runAdmin({ engines }, ...command)).rejects.toThrow('Another backup to this place is running.');
  });
});

test('a backup that fails is remembered, for the alert and the doctor, until one is made', async () => {
  const { folder, place } = world.newPlace();
  const full = { ...place, write: () => Promise.reject(new Error('no space left on device')) };
  const engines = { ...world.engines, openBackupPlace: () => full };
  const readFailure = async () =>
    (await readBacklog(openDatabase(world.database.pool))).stored.lastBackupFailureSeconds;
  expect(await readFailure()).toBeNull();
  await expect(runAdmin({ engines }, 'backup', 'make', '--to', folder)).rejects.toThrow('no space left on device');
  expect(await readFailure()).toBeCloseTo(Date.now() / 1000, -2);
  await carryOutRemedy(
    'backup.last',
    () => examinePostgres({ url: world.database.url, connections: 20 }),
    async (remedy) => {
      const places = [folder, `${folder}-keys`];
      const command = readRemedy(remedy, /waybilld admin (.+ PLACE --day-keys PLACE)/);
      const words = command.split(' ').map((word) => (word === 'PLACE' ? (places.shift() ?? '') : word));
      const working = { ...world.engines, openBackupPlace: () => place };
      await runAdmin({ engines: working }, ...words);
    },
  );
});

async function* toStream(text: string) {
  yield Buffer.from(text);
}
