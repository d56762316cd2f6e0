// Restores into a database and a bucket that are in use, with tools that are missing, from a backup that changes.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireKind } from '../../../../tools/test/require-kind.ts';
import { createTestDatabase, openTestPool } from '../../../test/database.ts';
import { openTestExchange, type TestExchange } from '../../../test/exchange.ts';
import { collectFindings } from '../../../test/findings.ts';
import { memoryLogObjects } from '../../../test/memory/memory-log-objects.ts';
import { memoryObjectStore } from '../../../test/memory/memory-object-store.ts';
import { runAdmin } from '../../../test/run-admin.ts';
import { watchAudit } from '../../../test/watch-audit.ts';
import type { Diagnose } from '../../admin/doctor.ts';
import { folderBackupPlace } from '../../engines/folder/backup-place.ts';
import { databaseCopies } from '../../engines/postgres/backup/copies.ts';
import { migrationDeadlines, openDatabase } from '../../engines/postgres/database.ts';
import { examinePostgres } from '../../engines/postgres/examine.ts';
import { migrate, planMigrations } from '../../engines/postgres/migrate.ts';
import { unlessRefused } from '../../engines/postgres/setup.ts';
import { postgresStore } from '../../engines/postgres/store.ts';
import { translateDatabaseErrors } from '../../engines/postgres/unavailable.ts';
import type { FilePosition } from '../batch.ts';
import { fault } from '../doctor/finding.ts';
import { readCheckpoint } from '../evidence/published-checkpoint.ts';
import { Sequencer } from '../evidence/sequencer.ts';
import { scrubAlone } from '../files/scrub.ts';
import { chunkKey } from '../files/sealing.ts';
import { DayKeys } from '../keys/day-keys.ts';
import type { BackupPlace } from './backup-place.ts';
import { exportDayKeys, readMirror } from './day-key-mirror.ts';
import { makeBackup } from './make-backup.ts';
import { restoreBackup } from './restore-backup.ts';

// For the client programs of PostgreSQL.
requireKind('engines');

const { signal } = new AbortController();
let source: Awaited<ReturnType<typeof backUp>>;
beforeAll(async () => {
  source = await backUp();
}, 90_000);
afterAll(() => source[Symbol.asyncDispose]());

/** A backup of two files and a mail that has been waiting for an hour. */
async function backUp() {
  const exchange = await openTestExchange(memoryObjectStore());
  const folder = mkdtempSync(join(tmpdir(), 'waybill-restore-'));
  const { url } = exchange.database;
  const place = folderBackupPlace(join(folder, 'backup'), exchange.engines.objects);
  const database = databaseCopies({ url, openPool: () => openTestPool(url, migrationDeadlines) });
  const engines = { ...exchange.engines, database };
  const sender = await exchange.account('r@example.org');
  await exchange.drop(sender, ['r@example.org'], ['sent']);
  await exchange.upload(sender, 'staged');
  await exchange.database.query(`update graphile_worker._private_jobs set run_at = now() - interval '1 hour'`);
  const sequencer = new Sequencer(engines);
  await sequencer.step(signal);
  await beScrubbing(exchange);
  await engines.store.undeletedObjects.record([chunkKey(randomUUID(), 0)]);
  await database.recordBackupFailure();
  await makeBackup(engines, place, { signal });
  await exportDayKeys(engines, place);
  const files = await exchange.database.query<{ id: string }>('select id::text from files order by id');
  return {
    engines,
    sequencer,
    folder,
    dayKeys: await readMirror(place),
    keys: files.map(({ id }) => chunkKey(id, 0)),
    async [Symbol.asyncDispose]() {
      await exchange[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Leaves a pass of the scrubber at the last file, and a file that it has recorded. */
async function beScrubbing({ engines, database }: TestExchange): Promise<void> {
  const { scrub } = engines.store;
  const files = await database.query<FilePosition>('select account_id as "accountId", id from files order by id');
  const last = files.at(-1) as FilePosition;
  await scrub.begin();
  await scrub.advance({ position: { ...last, objects: 0 }, files: 1, bytes: 1 });
  await scrub.record(last, { object: chunkKey(last.id, 0), problem: 'missing' });
}

/** A Waybill with an account of its own, in which the backup is to be restored. */
async function openTarget(options: { toolPath?: string } = {}) {
  const database = await createTestDatabase();
  await database.query(
    `insert into accounts (id, email, phone, type) values ($1, 'here@example.org', '46701234567', 'api')`,
    [randomUUID()],
  );
  // No process of it runs.
  await database.pool.end();
  const { url } = database;
  const ownSessions = new Set<number>();
  const pool = openTestPool(url, undefined, ownSessions);
  const objects = memoryObjectStore();
  const logObjects = memoryLogObjects();
  const store = watchAudit(postgresStore(openDatabase(pool)));
  const random = { bytes: randomBytes, uuid: randomUUID };
  const reached: string[] = [];
  const engines = {
    ...source.engines,
    store,
    objects,
    logObjects,
    dayKeys: new DayKeys({ store, objects, masterKeys: source.engines.masterKeys, random }),
    database: databaseCopies({
      url,
      openPool: () => openTestPool(url, migrationDeadlines, ownSessions),
      ownSessions,
      ...options,
    }),
    bucket: {
      isEmpty: async () => objects.objects.size === 0,
      has: async ({ key }: { key: string }) => objects.objects.has(key),
      async *keys() {
        yield* [...objects.objects.keys()].toSorted();
      },
    },
    migrate: () => migrate(pool),
    checkpoint: (name: string) => reached.push(name),
  };
  const place = folderBackupPlace(join(source.folder, 'backup'), objects);
  /** Another client, as psql is. */
  const query = async (sql: string) => {
    const other = openTestPool(url, undefined, new Set());
    const { rows } = await other.query<Record<string, string | boolean>>(sql);
    await other.end();
    return rows;
  };
  return {
    url,
    objects: objects.objects,
    logObjects: logObjects.objects,
    engines,
    reached,
    query,
    restore: (from: BackupPlace = place, overwrite = true) =>
      restoreBackup(engines, from, { signal, dayKeys: source.dayKeys, overwrite, sendWaiting: false }),
    place,
    emails: async () => (await query('select email from accounts')).map(({ email }) => email),
    isMarked: async () => (await query(`select to_regnamespace('waybill_restore') is not null as it`))[0]?.['it'],
    async [Symbol.asyncDispose]() {
      // The database is dropped at the end of the run.
      await pool.end();
    },
  };
}

test('while others are connected, it is refused, they are named, and nothing is changed', async () => {
  await using target = await openTarget();
  const other = openTestPool(target.url);
  const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid');
  await expect(target.restore()).rejects.toThrow(
    `The database is in use: it has 1 other session, waybill (process ${rows[0]?.pid}). Stop all serve and work`,
  );
  expect([await target.emails(), await target.isMarked(), target.objects.size]).toEqual([
    ['here@example.org'],
    false,
    0,
  ]);
  await other.end();
  await target.restore();
  expect(await target.emails()).not.toContain('here@example.org');
});

test('while it runs, no process of Waybill connects', async () => {
  await using target = await openTarget();
  const seen: unknown[] = [];
  const place: BackupPlace = {
    ...target.place,
    async give(object, stop) {
      const pool = openTestPool(target.url);
      seen.push(
        await unlessRefused(() => translateDatabaseErrors(() => planMigrations(pool))).catch((error: unknown) => error),
      );
      await pool.end();
      await target.place.give(object, stop);
    },
  };
  await target.restore(place);
  expect(seen).toHaveLength(2);
  for (const error of seen) {
    expect(error).toMatchObject({
      name: 'SetupError',
      message: expect.stringContaining('The database is being restored from a backup.') as string,
    });
  }
  expect(await target.isMarked()).toBe(false);
});

test('the log of the backup is published again, and a new epoch links to it', async () => {
  await using target = await openTarget();
  const restored = await target.restore();
  expect(restored).toMatchObject({ epoch: 2, damagedEpochs: [] });
  const log = await source.engines.store.evidenceLog.find(1);
  expect(target.logObjects.get('1/checkpoint')?.toString()).toBe(log?.checkpoint);
  await new Sequencer(target.engines).step(signal);
  const [started] = await target.query(
    'select data::text as data from evidence_entries where epoch = 2 and leaf_index = 0',
  );
  expect(JSON.parse(String(started?.['data']))).toMatchObject({
    origin: 'files.example.org/log/2',
    previous: { origin: 'files.example.org/log/1', size: log?.publishedSize },
    reason: expect.stringMatching(/^restored from backup /) as string,
  });
  expect(readCheckpoint(target.logObjects.get('2/checkpoint')?.toString() ?? null)?.size).toBeGreaterThan(0);
});

test('what the bucket has of the log is newer than the backup, and stays', async () => {
  await using target = await openTarget();
  const { store, logObjects, random } = source.engines;
  await store.evidence.append([{ accountId: random.uuid(), kind: 'key.destroyed', data: { day: '2026-11-18' } }]);
  await source.sequencer.step(signal);
  const newer = (await logObjects.read('1/checkpoint', 100_000, signal)) ?? Buffer.alloc(0);
  target.logObjects.set('1/checkpoint', newer);
  const { epoch } = await target.restore();
  expect(target.logObjects).toEqual(new Map([['1/checkpoint', newer]]));
  const restored = await target.engines.store.evidenceLog.find(1);
  const { size = 0 } = readCheckpoint(newer.toString()) ?? {};
  expect([epoch, restored?.publishedSize]).toEqual([2, size - 1]);
});

test('without pg_restore, or with one that cannot read the dump, the database stays whole', async () => {
  const tools = join(source.folder, 'tools');
  mkdirSync(tools);
  for (const tool of ['psql', 'pg_dump']) symlinkSync(`/usr/bin/${tool}`, join(tools, tool));
  await using target = await openTarget({ toolPath: tools });
  await expect(target.restore()).rejects.toThrow('pg_restore is not installed.');
  symlinkSync('/bin/false', join(tools, 'pg_restore'));
  await expect(target.restore()).rejects.toThrow('pg_restore failed');
  expect([await target.emails(), await target.isMarked(), target.objects.size, target.reached]).toEqual([
    ['here@example.org'],
    false,
    0,
    [],
  ]);
});

test.each([
  ['database.dump', 3],
  ['files.jsonl', 2],
  ['absent.jsonl', 2],
])('%s that changes after it was verified ends the restore, and the database stays whole', async (name, time) => {
  await using target = await openTarget();
  let reads = 0;
  const place: BackupPlace = {
    ...target.place,
    async *read(path) {
      yield* target.place.read(path);
      if (path.endsWith(name)) reads += 1;
      if (path.endsWith(name) && reads === time) yield Buffer.from('\n');
    },
  };
  await expect(target.restore(place)).rejects.toThrow(/is damaged: it is not what the backup wrote|JSON/);
  expect([reads, await target.emails(), await target.isMarked()]).toEqual([time, ['here@example.org'], false]);
});

test('what is in the bucket and belongs to nothing that was restored is deleted, and nothing else', async () => {
  await using target = await openTarget();
  const unnamed = [`${randomUUID()}/00000000`, `${source.keys[0]?.slice(0, 36)}/00000001`, `day-keys/${randomUUID()}`];
  const foreign = ['day-keys/notes.txt', `archive/${randomUUID()}/00000000`, `${randomUUID()}/0`, 'zebra'];
  for (const key of [...unnamed, ...foreign]) target.objects.set(key, Buffer.from('x'));
  const engines = { ...target.engines, openBackupPlace: () => target.place };
  const places = ['--from', source.folder, '--day-keys', source.folder];
  expect(JSON.parse(await runAdmin({ engines }, 'restore', ...places, '--overwrite', '--json'))).toMatchObject({
    deleted_objects: 2,
    deleted_day_keys: 1,
    kept_day_keys: 0,
    undeleted_objects: [],
  });
  const keys = [...target.objects.keys()];
  const dayKeys = (await target.query('select object_id::text as id from day_keys')).map(({ id }) => `day-keys/${id}`);
  expect(keys.toSorted()).toEqual([...foreign, ...source.keys, ...dayKeys].toSorted());
});

test('what was known about the objects of the bucket is not restored, and the scrubber reads every file', async () => {
  await using target = await openTarget();
  const { engines, objects } = target;
  const undeletable = chunkKey(randomUUID(), 0);
  objects.set(undeletable, Buffer.from('x'));
  const remove = engines.objects.delete;
  engines.objects.delete = async (keys) => [undeletable, ...(await remove(keys.filter((key) => key !== undeletable)))];
  await target.restore();
  const { undeletedObjects, scrub } = engines.store;
  expect(await scrub.countDamaged()).toBe(0);
  expect((await undeletedObjects.list(undefined, 10)).map(({ key }) => key)).toEqual([undeletable]);
  objects.delete(source.keys[0] ?? '');
  expect(await scrubAlone(engines, { restSeconds: 1_000_000 })).toMatchObject({ files: 2 });
  expect(await scrub.damaged(undefined, 10)).toMatchObject([{ object: source.keys[0], problem: 'missing' }]);
});

test('it is not done while files that were lost before the backup have no objects', async () => {
  await using target = await openTarget();
  const { objects } = source.engines.objects;
  const [lost = ''] = source.keys;
  const bytes = objects.get(lost) as Buffer;
  objects.delete(lost);
  const place = folderBackupPlace(join(source.folder, 'incomplete'), source.engines.objects);
  await makeBackup(source.engines, place, { signal });
  await exportDayKeys(source.engines, place);
  objects.set(lost, bytes);
  const engines = { ...target.engines, openBackupPlace: () => place };
  const restore = async (...options: string[]) => {
    const places = ['--from', source.folder, '--day-keys', source.folder];
    const printed = await runAdmin({ engines }, 'restore', ...places, '--overwrite', ...options);
    const exit = process.exitCode;
    process.exitCode = undefined;
    return [exit, printed] as const;
  };
  const [exit, printed] = await restore();
  expect([exit, printed]).toEqual([1, expect.stringMatching(/\nNot done\./)]);
  expect(printed).toContain('1 files are not in this backup, because their objects were lost or unreadable');
  expect(JSON.parse((await restore('--json'))[1])).toMatchObject({
    missing_objects: 1,
    lost_files: 1,
    unreadable_files: 0,
  });
});

test('the backup is the last one that is known, and no earlier failure is newer', async () => {
  await using target = await openTarget();
  const { manifest } = await target.restore();
  expect(
    await target.query(
      `select id, taken_at > (select failed_at from last_backup_failure) as "isNewer" from last_backup`,
    ),
  ).toEqual([{ id: manifest.id, isNewer: true }]);
});

test('day keys that nothing names are kept while the key of a day is missing', async () => {
  await using target = await openTarget();
  target.objects.set(`day-keys/${randomUUID()}`, Buffer.from('x'));
  const restored = await restoreBackup(target.engines, target.place, {
    signal,
    dayKeys: new Map(),
    overwrite: true,
    sendWaiting: false,
  });
  expect(restored.lostDays).not.toEqual([]);
  expect(restored.unnamed).toMatchObject({ dayKeysDeleted: 0, dayKeysKept: 1 });
});

test('it is done although jobs have been waiting since the backup, and not done with any other fault', async () => {
  await using target = await openTarget();
  const engines = { ...target.engines, openBackupPlace: () => target.place };
  const examine = () => collectFindings(examinePostgres({ url: target.url, connections: 1 }));
  const restore = async (diagnose: Diagnose) => {
    process.exitCode = undefined;
    const places = ['--from', source.folder, '--day-keys', source.folder];
    const printed = await runAdmin({ engines, diagnose }, 'restore', ...places, '--overwrite');
    const exit = process.exitCode ?? 0;
    process.exitCode = undefined;
    return [exit, printed.trimEnd().split('\n').at(-1)];
  };
  expect(await restore(examine)).toEqual([0, expect.stringMatching(/^Done\./)]);
  expect(await examine()).toContainEqual(expect.objectContaining({ check: 'work.running', status: 'fault' }));
  const full = fault('s3.space', 'The store has no space left.', 'Add storage.');
  expect(await restore(async () => [full])).toEqual([1, expect.stringMatching(/^Not done\./)]);
});
