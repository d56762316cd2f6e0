import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { startJobRunner } from './job-runner.ts';

test('a runner whose connections end in the middle of a job runs the next one', async () => {
  await using database = await createTestDatabase();
  const done: string[] = [];
  const said: string[] = [];
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const runner = await startJobRunner({
    pool: database.pool,
    log: pino({}, { write: (line) => said.push(line) }),
    concurrency: 2,
    stopMs: 1000,
    tasks: {
      async hold() {
        begun.resolve();
        await released.promise;
      },
      async note() {
        done.push('noted');
      },
    },
  });
  let ended = false;
  void runner.ended.finally(() => (ended = true));
  await database.query("select graphile_worker.add_job('hold')");
  await begun.promise;
  // The runner cannot settle its job before its connection is cut: the job's row is locked.
  const lock = await database.pool.connect();
  await lock.query('begin');
  await lock.query('select from graphile_worker._private_jobs for update');
  released.resolve();
  await cutWaiting(database, 'delete from %_private_jobs%');
  await lock.query('rollback');
  lock.release();
  await expect.poll(() => said.join(), { timeout: 20_000 }).toContain('Failed to complete jobs');
  const enqueue = () => database.query("select graphile_worker.add_job('note', job_key => 'note')");
  await expect.poll(() => enqueue().then(Boolean, () => false)).toBe(true);
  await expect.poll(() => done, { timeout: 20_000 }).toEqual(['noted']);
  expect(ended).toBe(false);
  await runner.stop();
  await runner.ended;
});

test('a runner whose connections end before it has looked for jobs runs the next one', async () => {
  await using database = await createTestDatabase();
  const lock = await database.pool.connect();
  await lock.query('begin');
  await lock.query('lock table graphile_worker._private_tasks in access exclusive mode');
  const done: string[] = [];
  const runner = await startJobRunner({
    pool: database.pool,
    log: pino({ level: 'silent' }),
    concurrency: 2,
    stopMs: 1000,
    tasks: {
      async note() {
        done.push('noted');
      },
    },
  });
  await cutWaiting(database, 'insert into %_private_tasks%');
  await lock.query('rollback');
  lock.release();
  await database.query("select graphile_worker.add_job('note')");
  await expect.poll(() => done, { timeout: 10_000 }).toEqual(['noted']);
  await runner.stop();
  await runner.ended;
});

test('a runner that was stopped has ended', async () => {
  await using database = await createTestDatabase();
  const options = { pool: database.pool, log: pino({ level: 'silent' }), concurrency: 1, stopMs: 1000, tasks: {} };
  const runner = await startJobRunner(options);
  await runner.stop();
  await runner.ended;
});

/** Ends the connections on which such a statement waits for a lock, once there are some. */
async function cutWaiting(database: TestDatabase, statement: string): Promise<void> {
  const cut = () =>
    database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
      [statement],
    );
  await expect.poll(cut, { timeout: 20_000 }).not.toEqual([]);
}
