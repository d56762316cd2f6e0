import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createEmptyDatabase, createTestDatabase, openTestPool } from '../../../test/database.ts';
import { migrate, planMigrations } from './migrate.ts';

const files = (await readdir(new URL('../../../migrations/', import.meta.url))).toSorted();

test('a fresh database gets every migration in order, and a second run finds nothing to do', async () => {
  await using database = await createEmptyDatabase();
  const pool = openTestPool(database.url);
  expect(await migrate(pool)).toEqual(files);
  expect(await migrate(pool)).toEqual([]);
  await pool.end();
});

test('a plan names every pending migration, and changes nothing', async () => {
  await using database = await createEmptyDatabase();
  const pool = openTestPool(database.url);
  expect((await planMigrations(pool)).map(({ name }) => name)).toEqual(files);
  expect((await pool.query("select from pg_class where relname in ('migrations', 'accounts')")).rowCount).toBe(0);
  await migrate(pool);
  expect(await planMigrations(pool)).toEqual([]);
  await pool.end();
});

test('starters at the same time wait for one another, and each migration is applied once', async () => {
  await using database = await createEmptyDatabase();
  const pools = [openTestPool(database.url), openTestPool(database.url), openTestPool(database.url)];
  const applied = await Promise.all(pools.map((pool) => migrate(pool)));
  expect(applied.flat().toSorted()).toEqual(files);
  expect(applied.filter((names) => names.length > 0)).toHaveLength(1);
  await Promise.all(pools.map((pool) => pool.end()));
});

test('a wait for another process, which may be gone with its machine, says for which session, and how to end it', async () => {
  await using database = await createEmptyDatabase();
  const holders = openTestPool(database.url);
  const pool = openTestPool(database.url);
  const holder = await holders.connect();
  // Its end is the remedy that the message names.
  holder.on('error', () => undefined);
  await holder.query('select pg_advisory_lock(7295113)');
  const said: string[] = [];
  const onWait = async (message: string) => {
    said.push(message);
    await holders.query(/select pg_terminate_backend\(\d+\);$/.exec(message)?.[0] ?? '');
  };
  expect(await migrate(pool, { onWait: (message) => void onWait(message), firstReportMs: 0 })).toEqual(files);
  expect(said).toEqual([
    expect.stringMatching(/^Waiting for another process .* from 127\.0\.0\.1, connected since \d{4}-/),
  ]);
  holder.release(true);
  await Promise.all([holders.end(), pool.end()]);
});

describe('a database from the future', () => {
  test('is refused and left as it is when it has a change that this program would not understand', async () => {
    await using database = await createTestDatabase();
    await database.query("insert into migrations (name, contract) values ('9999_from_the_future.sql', true)");
    for (const start of [migrate, planMigrations]) {
      await expect(start(database.pool)).rejects.toThrow(/newer than this program.*9999_from_the_future\.sql/);
    }
    const [{ count } = { count: 0 }] = await database.query<{ count: number }>('select count(*) from migrations');
    expect(count).toBe(files.length + 1);
  });

  test('is used when a later version removed only what this program no longer uses', async () => {
    await using database = await createTestDatabase();
    const add = (name: string, since: string) =>
      database.query('insert into migrations (name, contract, since) values ($1, true, $2)', [name, since]);
    await add('9998_from_the_future.sql', files.at(-1) ?? '');
    for (const start of [migrate, planMigrations]) expect(await start(database.pool)).toEqual([]);
    await add('9999_from_the_future.sql', '9997_from_the_future.sql');
    for (const start of [migrate, planMigrations]) {
      await expect(start(database.pool)).rejects.toThrow(
        /newer than this program \(it has 9999_from_the_future\.sql\)/,
      );
    }
  });

  test('is used when it only has more than this program knows', async () => {
    await using database = await createTestDatabase();
    await database.query("insert into migrations (name, contract) values ('9999_from_the_future.sql', false)");
    expect(await migrate(database.pool)).toEqual([]);
  });
});

test('a migration that fails is not applied in part, and the next starter is not locked out', async () => {
  await using database = await createEmptyDatabase();
  const pool = openTestPool(database.url);
  await pool.query('create table links (x integer)');
  await expect(migrate(pool)).rejects.toThrow(/"links" already exists/);
  expect((await pool.query('select from migrations')).rowCount).toBe(0);
  expect((await pool.query("select from pg_class where relname in ('accounts', 'drops')")).rowCount).toBe(0);
  await pool.query('drop table links');
  expect(await migrate(pool)).toEqual(files);
  await pool.end();
});

describe('while the version before serves', () => {
  /** A database with a table, and the test's own migrations for it. */
  async function withMigrations(migrations: Record<string, string>) {
    const database = await createTestDatabase();
    const folder = mkdtempSync(join(tmpdir(), 'waybill-migrations-'));
    await cp(new URL('../../../migrations/', import.meta.url), folder, { recursive: true });
    for (const [name, sql] of Object.entries(migrations)) writeFileSync(join(folder, name), sql);
    await database.query('create table things as select number from generate_series(1, 1000) as number');
    return {
      database,
      migrate: () => migrate(database.pool, { from: pathToFileURL(`${folder}/`) }),
      plan: () => planMigrations(database.pool, pathToFileURL(`${folder}/`)),
      async [Symbol.asyncDispose]() {
        await database[Symbol.asyncDispose]();
        rmSync(folder, { recursive: true });
      },
    };
  }

  test('a plan says the purpose of each migration, and whether it runs in a transaction', async () => {
    await using world = await withMigrations({
      '9000_index.sql': '-- concurrently\n-- Things are found by number. It is fast.\nselect 1;\n',
      '9001_column.sql': 'alter table things add column name text;\n',
    });
    expect(await world.plan()).toEqual([
      { name: '9000_index.sql', purpose: 'Things are found by number.', isConcurrent: true },
      { name: '9001_column.sql', purpose: '', isConcurrent: false },
    ]);
    expect(await world.migrate()).toEqual(['9000_index.sql', '9001_column.sql']);
  });

  test('what only earlier versions use is removed, and it is recorded which can still run', async () => {
    const since = files.at(-1) ?? '';
    const contract = `-- contract since ${since}\n-- Numbers are no longer read. They take space.\nalter table things drop column number;\n`;
    await using world = await withMigrations({ '9000_contract.sql': contract });
    const plan = {
      name: '9000_contract.sql',
      purpose: 'Numbers are no longer read.',
      isConcurrent: false,
      contractSince: since,
    };
    expect(await world.plan()).toEqual([plan]);
    expect(await world.migrate()).toEqual(['9000_contract.sql']);
    // This version does not have that file.
    expect(await migrate(world.database.pool)).toEqual([]);
    const recorded = await world.database.query("select contract, since from migrations where name >= '9000'");
    expect(recorded).toEqual([{ contract: true, since }]);
  });

  test.each(['-- contract', '-- contract since 0000_none.sql', '-- contract since 9000_contract.sql'])(
    'a contract that names no earlier migration is refused: %s',
    async (mark) => {
      await using world = await withMigrations({ '9000_contract.sql': `${mark}\nselect 1;\n` });
      await expect(world.migrate()).rejects.toThrow('9000_contract.sql does not name an earlier migration');
    },
  );

  test('an index is built beside a writer, and by starters that wait for one another', async () => {
    await using world = await withMigrations({
      '9000_index.sql': '-- concurrently\ncreate index concurrently things_by_number on things (number);\n',
    });
    const writer = await world.database.pool.connect();
    await writer.query('begin');
    await writer.query('insert into things values (1001)');
    const applied = Promise.all([world.migrate(), world.migrate()]);
    // It waits for the writer's transaction, and blocks no other writer.
    const building = () =>
      world.database.query('select 1 from pg_stat_progress_create_index where datname = current_database()');
    await expect.poll(building, { timeout: 10_000 }).not.toEqual([]);
    await world.database.query('insert into things values (1002)');
    await writer.query('commit');
    writer.release();
    expect((await applied).flat()).toEqual(['9000_index.sql']);
    const valid = await world.database.query(
      "select indisvalid from pg_index where indexrelid = 'things_by_number'::regclass",
    );
    expect(valid).toEqual([{ indisvalid: true }]);
  });

  test('starts beside a backup, which reads every table for as long as it takes', async () => {
    await using world = await withMigrations({});
    const backup = await world.database.pool.connect();
    await backup.query('begin');
    await backup.query('lock table migrations, things in access share mode');
    expect(await world.migrate()).toEqual([]);
    await backup.query('commit');
    backup.release();
  });

  test('a change that has to wait for a lock lets others pass, and is made when it is free', async () => {
    await using world = await withMigrations({ '9000_column.sql': 'alter table things add column name text;\n' });
    const reader = await world.database.pool.connect();
    await reader.query('begin');
    await reader.query('select * from things limit 1');
    const applied = world.migrate();
    const waiting = () =>
      world.database.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'alter%'",
      );
    await expect.poll(waiting, { timeout: 10_000 }).not.toEqual([]);
    // It is behind the change in the queue for the table until the change leaves its place.
    expect(await world.database.query('select count(*) from things')).toEqual([{ count: 1000 }]);
    await reader.query('commit');
    reader.release();
    expect(await applied).toEqual(['9000_column.sql']);
  });
});
