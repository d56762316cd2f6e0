import { pino } from 'pino';
import { expect, test } from 'vitest';
import { startFreezable } from '../../../../../tools/shared/tcp.ts';
import { createTestDatabase, openTestPool, type TestDatabase } from '../../../../test/database.ts';
import { silentLog } from '../../../../test/silent-log.ts';
import { jobDeadlines } from '../database.ts';
import { startJobRunner } from './job-runner.ts';

test.each([1, 2])(
  'a runner whose connections end while it settles %i of its jobs runs the next one',
  async (settled) => {
    await using database = await createTestDatabase();
    const done: string[] = [];
    const said: string[] = [];
    const running: PromiseWithResolvers<void>[] = [];
    const runner = await startJobRunner({
      pool: database.pool,
      log: pino({}, { write: (line) => said.push(line) }),
      concurrency: 3,
      stopMs: 1000,
      tasks: {
        async hold() {
          const job = Promise.withResolvers<void>();
          running.push(job);
          await job.promise;
        },
        async note() {
          done.push('noted');
        },
      },
    });
    let ended = false;
    void runner.ended.finally(() => (ended = true));
    for (let job = 0; job < 3; job++) await database.query("select graphile_worker.add_job('hold')");
    await expect.poll(() => running.length, { timeout: 10_000 }).toBe(3);
    const settle = 'delete from %_private_jobs%';
    // The runner cannot settle a job before its connection is cut, because the job's row is locked.
    const lock = await database.pool.connect();
    await lock.query('begin');
    await lock.query('select from graphile_worker._private_jobs for update');
    for (const [index, job] of running.slice(0, settled).entries()) {
      job.resolve();
      await expect.poll(() => waiting(database, settle), { timeout: 10_000 }).toHaveLength(index + 1);
    }
    await cut(database, settle);
    await lock.query('rollback');
    lock.release();
    const failures = () => said.filter((line) => line.includes('Failed to complete jobs'));
    await expect.poll(failures, { timeout: 20_000 }).toHaveLength(settled);
    for (const job of running) job.reject(new Error('a fault of its own'));
    const enqueue = () => database.query("select graphile_worker.add_job('note', job_key => 'note')");
    await expect.poll(() => enqueue().then(Boolean, () => false)).toBe(true);
    await expect.poll(() => done, { timeout: 20_000 }).toEqual(['noted']);
    expect(ended).toBe(false);
    await runner.stop();
    await runner.ended;
  },
);

test('a runner whose connections end before it has looked for jobs runs the next one', async () => {
  await using database = await createTestDatabase();
  const lock = await database.pool.connect();
  await lock.query('begin');
  await lock.query('lock table graphile_worker._private_tasks in access exclusive mode');
  const done: string[] = [];
  const runner = await startJobRunner({
    pool: database.pool,
    log: silentLog,
    concurrency: 2,
    stopMs: 1000,
    tasks: {
      async note() {
        done.push('noted');
      },
    },
  });
  const look = 'insert into %_private_tasks%';
  await expect.poll(() => waiting(database, look), { timeout: 10_000 }).toHaveLength(1);
  await cut(database, look);
  await lock.query('rollback');
  lock.release();
  await database.query("select graphile_worker.add_job('note')");
  await expect.poll(() => done, { timeout: 10_000 }).toEqual(['noted']);
  await runner.stop();
  await runner.ended;
});

test('a runner that starts while PostgreSQL does not respond waits for it', async () => {
  await using database = await createTestDatabase();
  const url = new URL(database.url);
  await using way = await startFreezable(Number(url.port));
  url.port = String(way.port);
  const pool = openTestPool(url.href, { ...jobDeadlines, connectMs: 500 });
  const said: string[] = [];
  const done: string[] = [];
  way.freeze();
  const starting = startJobRunner({
    pool,
    log: pino({}, { write: (line) => said.push(line) }),
    concurrency: 2,
    stopMs: 1000,
    tasks: {
      async note() {
        done.push('noted');
      },
    },
  });
  const tries = () => said.filter((line) => line.includes('did not start'));
  await Promise.race([starting, expect.poll(tries, { timeout: 10_000 }).not.toEqual([])]);
  way.thaw();
  const runner = await starting;
  await database.query("select graphile_worker.add_job('note')");
  await expect.poll(() => done, { timeout: 10_000 }).toEqual(['noted']);
  await runner.stop();
  await pool.end();
});

test('a runner that PostgreSQL refuses does not start', async () => {
  await using database = await createTestDatabase();
  const url = new URL(database.url);
  url.pathname = '/no_such_database';
  const pool = openTestPool(url.href);
  const options = { pool, log: silentLog, concurrency: 1, stopMs: 1000, tasks: {} };
  await expect(startJobRunner(options)).rejects.toThrow('does not exist');
  await pool.end();
});

test('a stop waits for a job of a runner that was replaced, and breaks it off when its time is up', async () => {
  await using database = await createTestDatabase();
  const seen: string[] = [];
  const settling = Promise.withResolvers<void>();
  const runner = await startJobRunner({
    pool: database.pool,
    log: pino({}, { write: (line) => line.includes('is replaced') && seen.push('replaced') }),
    concurrency: 2,
    stopMs: 300,
    tasks: {
      async long(_payload, signal) {
        seen.push('begun');
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        seen.push('broken off');
      },
      short: () => settling.promise,
    },
  });
  await database.query("select graphile_worker.add_job('long')");
  await expect.poll(() => seen, { timeout: 10_000 }).toEqual(['begun']);
  await database.query("select graphile_worker.add_job('short')");
  const taken = () => database.query('select from graphile_worker._private_jobs where locked_at is not null');
  await expect.poll(taken, { timeout: 10_000 }).toHaveLength(2);
  const lock = await database.pool.connect();
  await lock.query('begin');
  await lock.query('select from graphile_worker._private_jobs for update');
  settling.resolve();
  const settle = 'delete from %_private_jobs%';
  await expect.poll(() => waiting(database, settle), { timeout: 10_000 }).toHaveLength(1);
  await cut(database, settle);
  await lock.query('rollback');
  lock.release();
  await expect.poll(() => seen, { timeout: 10_000 }).toEqual(['begun', 'replaced']);
  await runner.stop();
  expect(seen).toEqual(['begun', 'replaced', 'broken off']);
  await runner.ended;
});

test('a job that was lost with its process is run again, and not one that may still be running', async () => {
  await using database = await createTestDatabase();
  const done: unknown[] = [];
  const options = { pool: database.pool, log: silentLog, concurrency: 1, stopMs: 1000, longestSeconds: 600 };
  const note = async (payload: unknown) => void done.push(payload);
  const before = await startJobRunner({ ...options, tasks: { note } });
  await before.stop();
  for (const minutes of [11, 9]) {
    await database.query(`select graphile_worker.add_job('note', '{"minutes": ${minutes}}')`);
    await database.query(
      `update graphile_worker._private_jobs set locked_at = now() - make_interval(mins => $1), locked_by = 'lost', attempts = 1
       where locked_at is null`,
      [minutes],
    );
  }
  const runner = await startJobRunner({ ...options, tasks: { note } });
  await expect.poll(() => done, { timeout: 10_000 }).toEqual([{ minutes: 11 }]);
  await runner.stop();
  expect(await database.query('select locked_by from graphile_worker._private_jobs')).toEqual([{ locked_by: 'lost' }]);
});

test('a runner that was stopped has ended', async () => {
  await using database = await createTestDatabase();
  const options = { pool: database.pool, log: silentLog, concurrency: 1, stopMs: 1000, tasks: {} };
  const runner = await startJobRunner(options);
  await runner.stop();
  await runner.ended;
});

/** The backends whose current statement looks like this and waits for a lock. */
async function waiting(database: TestDatabase, statement: string): Promise<unknown[]> {
  return await database.query(
    `select pid from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
    [statement],
  );
}

async function cut(database: TestDatabase, statement: string): Promise<void> {
  await database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
    [statement],
  );
}
