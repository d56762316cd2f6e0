// Backups of a real database, into a directory and into another bucket of the real store.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireKind } from '../../../../tools/test/require-kind.ts';
import { createEmptyDatabase, openTestPool } from '../../../test/database.ts';
import { openTestExchange, type TestExchange } from '../../../test/exchange.ts';
import { type MemoryObjectStore, memoryObjectStore } from '../../../test/memory/memory-object-store.ts';
import { folderBackupPlace } from '../../engines/folder/backup-place.ts';
import { keyfileProvider } from '../../engines/keyfile/key-provider.ts';
import { databaseCopies } from '../../engines/postgres/backup/copies.ts';
import { migrationDeadlines, openDatabase } from '../../engines/postgres/database.ts';
import { migrate } from '../../engines/postgres/migrate.ts';
import { postgresStore } from '../../engines/postgres/store.ts';
import { chunkBytes, chunkKey } from '../files/sealing.ts';
import { DayKeys } from '../keys/day-keys.ts';
import type { BackupPlace } from './backup-place.ts';
import { exportDayKeys, readMirror } from './day-key-mirror.ts';
import { makeBackup } from './make-backup.ts';
import { openBackup } from './open-backup.ts';
import { restoreBackup } from './restore-backup.ts';
import { verifyBackup } from './verify-backup.ts';

// For the client programs of PostgreSQL.
requireKind('engines');

const signal = new AbortController().signal;
const random = { bytes: randomBytes, uuid: randomUUID };
const folders: string[] = [];
const opened: TestExchange[] = [];
let large: Buffer;
beforeAll(() => {
  large = randomBytes(chunkBytes + 5);
});
afterAll(async () => {
  for (const exchange of opened) await exchange[Symbol.asyncDispose]();
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const ownSessions = new Set<number>();
const openCopies = (url: string) =>
  databaseCopies({ url, openPool: () => openTestPool(url, migrationDeadlines, ownSessions), ownSessions });

/** An exchange with three files, one of them in a drop, and an empty place. */
async function newWorld() {
  const exchange = await openTestExchange(memoryObjectStore());
  opened.push(exchange);
  const folder = mkdtempSync(join(tmpdir(), 'waybill-backup-'));
  folders.push(folder);
  const engines = { ...exchange.engines, database: openCopies(exchange.database.url) };
  const sender = await exchange.account('r@example.org');
  const drop = await exchange.drop(sender, ['r@example.org'], ['sent']);
  await exchange.upload(sender, 'large', large);
  await exchange.upload(sender, 'empty', '');
  const rows = await exchange.database.query<{ name: string; id: string }>('select name, id from files');
  const findKey = (name: string) => chunkKey(rows.find((row) => row.name === name)?.id ?? '', 0);
  const place = folderBackupPlace(folder, engines.objects);
  /** The day keys as they are now. */
  const mirror = async () => {
    await exportDayKeys(engines, place);
    return readMirror(place);
  };
  const problems = async (from: BackupPlace = place) => {
    const found: string[] = [];
    const onDamage = (_: unknown, { object, problem }: { object: string; problem: string }) =>
      found.push(`${problem} ${object}`);
    await verifyBackup(engines, from, { signal, dayKeys: await mirror(), onDamage });
    return found;
  };
  return { ...exchange, engines, sender, drop, findKey, folder, place, mirror, problems };
}

type World = Awaited<ReturnType<typeof newWorld>>;

/** Restores into a new database and a new bucket. */
async function restoreInto(world: World, id?: string) {
  const database = await createEmptyDatabase();
  const objects = memoryObjectStore();
  const pool = openTestPool(database.url, undefined, ownSessions);
  const store = postgresStore(openDatabase(pool));
  const { masterKeys } = world.engines;
  const restored = await restoreBackup(
    {
      ...world.engines,
      store,
      objects,
      dayKeys: new DayKeys({ store, objects: memoryObjectStore(), masterKeys, random }),
      database: openCopies(database.url),
      bucket: listObjects(objects),
      migrate: () => migrate(pool),
    },
    folderBackupPlace(world.folder, objects),
    { id, signal, dayKeys: await world.mirror(), sendWaiting: false, overwrite: false },
  );
  const query = async (sql: string) => (await pool.query(sql)).rows as unknown[];
  return {
    restored,
    objects: objects.objects,
    query,
    async [Symbol.asyncDispose]() {
      await pool.end();
      await database[Symbol.asyncDispose]();
    },
  };
}

function listObjects({ objects }: MemoryObjectStore) {
  return {
    isEmpty: async () => objects.size === 0,
    has: async ({ key, bytes }: { key: string; bytes: number }) => (objects.get(key)?.length ?? -1) >= bytes,
    async *keys() {
      yield* [...objects.keys()].toSorted();
    },
  };
}

// The first test waits for the template of all test databases, and pg_dump and pg_restore take their time.
test('a backup is restored with every row and every object, into an empty database and bucket', {
  timeout: 90_000,
}, async () => {
  const world = await newWorld();
  await world.database.query(`
    insert into uploads (account_id, id, draft, name, media_type, writer, key_day, wrapped_key, due_at)
    select account_id, gen_random_uuid(), '', 'x', '', gen_random_uuid(), 99999, '', now() + interval '1 day' from drops`);
  const { manifest, copied } = await makeBackup(world.engines, world.place, { signal });
  expect(manifest.files).toMatchObject({ files: 3, objects: 4 });
  expect(copied).toMatchObject({ objects: 4, kept: 0 });
  expect(await world.problems()).toEqual([]);

  await using into = await restoreInto(world);
  expect(into.restored).toMatchObject({ missing: 0, copied: { objects: 4 }, uploads: 1, messages: 1 });
  expect(digests(into.objects)).toEqual(digests(world.engines.objects.objects));
  const tables = ['accounts', 'api_keys', 'files', 'drops', 'links', 'drafts', 'migrations'];
  for (const table of tables) {
    const rows = `select * from ${table} order by 1, 2`;
    expect(await into.query(rows), table).toEqual(await world.database.query(rows));
  }
  // The objects of an upload in progress are not in a backup, and a message may have been sent since.
  expect(await into.query('select state, wrapped_key from uploads')).toEqual([
    { state: 'abandoned', wrapped_key: null },
  ]);
  expect(await into.query('select state, outcome from messages')).toEqual([
    { state: 'abandoned', outcome: 'restored from a backup: it is not known whether it was sent' },
  ]);
});

test('a second backup copies only what is new, and the newest complete one is used', async () => {
  const world = await newWorld();
  const first = await makeBackup(world.engines, world.place, { signal });
  await world.upload(world.sender, 'later');
  const second = await makeBackup(world.engines, world.place, { signal });
  expect(second.copied).toMatchObject({ objects: 1, kept: 4 });
  const newest = async () => (await openBackup(world.engines, world.place, undefined)).id;
  expect(await newest()).toBe(second.manifest.id);
  rmSync(join(world.folder, 'backups', second.manifest.id, 'manifest.json'));
  expect(await newest()).toBe(first.manifest.id);
});

test('files that end before they are copied are left out, and ended when it is restored; lost ones are reported', async () => {
  const world = await newWorld();
  const { database, engines } = world;
  await world.upload(world.sender, 'lost');
  const [lost] = await database.query<{ id: string }>(`select id from files where name = 'lost'`);
  const lostBytes = engines.objects.objects.get(chunkKey(lost?.id ?? '', 0)) as Buffer;
  engines.objects.objects.delete(chunkKey(lost?.id ?? '', 0));
  const place: BackupPlace = {
    ...world.place,
    async take(object, stop) {
      // The drop is revoked and one of the staged files removed, and both are swept.
      await engines.store.drops.revoke(world.sender.accountId, world.drop);
      await engines.store.drops.empty({ owners: 10, rows: 10 });
      await engines.store.files.removeStaged(world.sender.accountId, '', 'empty');
      for (const name of ['sent', 'empty']) engines.objects.objects.delete(world.findKey(name));
      await world.place.take(object, stop);
    },
  };
  const { manifest } = await makeBackup(engines, place, { signal });
  expect(manifest.absent).toMatchObject({ ended: 2, lost: 1 });
  expect(await world.problems()).toEqual([]);

  await using into = await restoreInto(world);
  expect(await into.query(`select ended_at is not null as ended, to_empty from drops`)).toEqual([
    { ended: true, to_empty: true },
  ]);
  const staged = `select name from files where state = 'ready' and drop_id is null order by name`;
  expect(await into.query(staged)).toEqual([{ name: 'large' }, { name: 'lost' }]);
  // Unless another backup in the same place has it.
  expect(into.restored.missing).toBe(1);
  engines.objects.objects.set(chunkKey(lost?.id ?? '', 0), lostBytes);
  await makeBackup(engines, world.place, { signal });
  await using again = await restoreInto(world, manifest.id);
  expect([again.restored.missing, again.objects.has(chunkKey(lost?.id ?? '', 0))]).toEqual([0, true]);
});

describe('what is refused', () => {
  let world: World;
  let id: string;
  beforeAll(async () => {
    world = await newWorld();
    id = (await makeBackup(world.engines, world.place, { signal })).manifest.id;
  });

  const restoreHere = async (engines: Partial<World['engines']>, overwrite = false, sendWaiting = false) =>
    restoreBackup(
      {
        ...world.engines,
        ...engines,
        bucket: listObjects(world.engines.objects),
        migrate: async () => undefined,
      },
      world.place,
      { signal, dayKeys: await world.mirror(), overwrite, sendWaiting },
    );

  test('a database that is not empty', async () => {
    await using database = await createEmptyDatabase();
    const pool = openTestPool(database.url, undefined, ownSessions);
    await pool.query('create table other ()');
    await pool.end();
    await expect(restoreHere({ database: openCopies(database.url) })).rejects.toThrow('The database is not empty.');
  });

  test('a bucket that is not empty, unless that is said', async () => {
    await using database = await createEmptyDatabase();
    await expect(restoreHere({ database: openCopies(database.url) })).rejects.toThrow('The bucket is not empty.');
    const { copied } = await restoreHere({ database: openCopies(database.url) }, true);
    expect(copied).toMatchObject({ objects: 0, kept: 4 });
    // The content of the database is replaced, and messages are sent if that is requested.
    const { messages } = await restoreHere({ database: openCopies(database.url) }, true, true);
    expect(messages).toBe(0);
  });

  test('a master key that does not open what is stored, before a backup that nobody could restore', async () => {
    const path = join(world.folder, 'other-keys');
    writeFileSync(path, `1:${randomBytes(32).toString('base64')}`, { mode: 0o600 });
    const masterKeys = keyfileProvider(path, random);
    await expect(makeBackup({ ...world.engines, masterKeys }, world.place, { signal })).rejects.toThrow(
      'The master key of version 1 does not open what is stored.',
    );
  });

  test('other keys, naming each', async () => {
    const master = (version: number, fingerprint: string) => ({
      masterKeys: { ...world.engines.masterKeys, list: async () => [{ version, fingerprint }] },
    });
    await expect(restoreHere(master(2, ''))).rejects.toThrow('There is no master key of version 1.');
    await expect(restoreHere(master(1, 'other'))).rejects.toThrow('The master key of version 1 is another one.');
    await expect(restoreHere({ pepper: randomBytes(32) })).rejects.toThrow('WAYBILL_KEY_PEPPER is another one');
  });

  test.each(['database.dump', 'files.jsonl', 'absent.jsonl', 'manifest.json'])('a changed %s', async (name) => {
    const path = join(world.folder, 'backups', id, name);
    const before = readFileSync(path);
    const text = before.toString('latin1');
    writeFileSync(path, name === 'manifest.json' ? text.replace('"lost": 0', '"lost": 1') : `${text}\n`, 'latin1');
    await expect(restoreHere({}, true)).rejects.toThrow(/is damaged|was changed after it was made/);
    writeFileSync(path, before);
  });

  test('a backup that was not finished, or does not exist', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'waybill-backup-'));
    folders.push(folder);
    const place = folderBackupPlace(folder, world.engines.objects);
    const verify = (of: BackupPlace, wanted?: string) =>
      verifyBackup(world.engines, of, { id: wanted, signal, dayKeys: undefined, onDamage: () => undefined });
    await expect(verify(place)).rejects.toThrow('There is no complete backup in this place.');
    await place.write('backups/20260101T000000Z-0000/files.jsonl', toStream(''));
    await expect(verify(place)).rejects.toThrow('There is no complete backup in this place.');
    await expect(verify(world.place, 'other')).rejects.toThrow('There is no complete backup other in this place.');
  });
});

test('a damaged, a missing and a swapped object in a backup are each found', async () => {
  const world = await newWorld();
  for (const name of ['altered', 'missing', 'swapped', 'exchanged']) await world.upload(world.sender, name);
  const rows = await world.database.query<{ name: string; id: string }>('select name, id from files');
  await makeBackup(world.engines, world.place, { signal });
  const key = (name: string) => chunkKey(rows.find((row) => row.name === name)?.id ?? '', 0);
  const path = (name: string) => join(world.folder, 'objects', key(name).slice(34, 36), key(name));
  const [altered, swapped, exchanged] = ['altered', 'swapped', 'exchanged'].map((name) => readFileSync(path(name)));
  altered?.writeUInt8(altered.readUInt8(0) ^ 1, 0);
  writeFileSync(path('altered'), altered as Buffer);
  rmSync(path('missing'));
  writeFileSync(path('swapped'), exchanged as Buffer);
  writeFileSync(path('exchanged'), swapped as Buffer);
  const expected = [
    ['altered', 'damaged'],
    ['missing', 'missing'],
    ['swapped', 'damaged'],
    ['exchanged', 'damaged'],
  ];
  expect((await world.problems()).toSorted()).toEqual(
    expected.map(([name = '', problem]) => `${problem} ${key(name)}`).toSorted(),
  );
});

test('no key is in a place, and only its owner can read it', async () => {
  const world = await newWorld();
  await makeBackup(world.engines, world.place, { signal });
  const [file] = await world.database.query<{ id: string; key: Buffer; day: number }>(
    'select id, wrapped_key as key, key_day as day from files',
  );
  const { id, key, day } = file as NonNullable<typeof file>;
  const { dayKeys, pepper } = world.engines;
  const dayKey = await dayKeys.fetch(day);
  const secrets = [pepper, await dayKeys.unwrap(key, day, id), dayKey?.wrapped as Buffer];
  const files = readdirSync(world.folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name)).not.toContainEqual(expect.stringMatching(/part$/));
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name);
    const content = readFileSync(path);
    expect(secrets.filter((secret) => content.includes(secret) || content.includes(secret.toString('base64')))).toEqual(
      [],
    );
    expect(statSync(path).mode & 0o077).toBe(0);
  }
});

/** Compared instead of the megabytes themselves. */
function digests(objects: Map<string, Buffer>): string[] {
  return [...objects].map(([key, bytes]) => `${key} ${createHash('sha256').update(bytes).digest('hex')}`).toSorted();
}

async function* toStream(text: string) {
  yield Buffer.from(text);
}
