import { EventEmitter, once } from 'node:events';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Runner, WorkerEvents } from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import { unlessRefused } from '../setup.ts';
import { isPassing, toUnavailable } from '../unavailable.ts';

export interface JobRunnerOptions {
  readonly pool: pg.Pool;
  readonly log: Logger;
  readonly concurrency: number;
  readonly tasks: Readonly<Record<string, (payload: unknown, signal: AbortSignal) => Promise<void>>>;
  /** Called around every job. */
  readonly around?: (job: Job, work: () => Promise<void>) => Promise<void>;
  /** How long jobs may take after a stop before they are told to abort. They are tried again later. */
  readonly stopMs: number;
  /**
   * The most that a job takes. One that was taken longer ago was lost with its process, and is run again; without this,
   * after four hours. It is not needed for jobs whose row has a lease of its own.
   */
  readonly longestSeconds?: number;
  /** Ends a start that waits for PostgreSQL. */
  readonly signal?: AbortSignal;
}

export interface Job {
  readonly name: string;
  readonly id: number;
  readonly payload: unknown;
}

export interface JobRunner {
  /** Ends after `stop`, and not before. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const restartAfterMs = 500;
const settleMs = 5_000;
const recoverEveryMs = 120_000;
const didNotStart = 'the job runner did not start and is tried again';

/**
 * Jobs are rows in PostgreSQL, enqueued in the transaction that makes them true. A runner that loses its connection
 * while it takes or settles a job stops taking jobs. Another one then replaces it, unless we have been stopped.
 *
 * The first one waits for PostgreSQL too, which was there a moment ago, when its schema was examined.
 */
export async function startJobRunner(options: JobRunnerOptions): Promise<JobRunner> {
  // The library prints the error of a worker with its stack, besides what it reports to the log.
  Object.assign(console, { trace: () => undefined });
  const stopped = new AbortController();
  const jobs: Jobs = { running: new Set(), cut: new AbortController() };
  let current = await unlessRefused(() => begin(options, jobs)).catch((error: Error) => {
    if (!isPassing(error)) throw error;
    options.log.warn({ err: nameOutage(error) }, didNotStart);
    return beginAgain(options, jobs, options.signal ?? stopped.signal);
  });
  const recovering = recoverLostJobs(options);
  const keepRunning = async () => {
    for (;;) {
      await current.closed;
      if (stopped.signal.aborted) return;
      options.log.info('the job runner takes no more jobs and is replaced');
      current = await beginAgain(options, jobs, stopped.signal);
      // It may have started while everything was being stopped.
      if (stopped.signal.aborted) await current.runner.stop().catch(() => undefined);
    }
  };
  const ended = keepRunning().catch((error: unknown) => {
    if (!stopped.signal.aborted) throw error;
  });
  return {
    ended,
    async stop() {
      stopped.abort();
      recovering.stop();
      const timer = setTimeout(() => jobs.cut.abort(), options.stopMs);
      // It may have stopped by itself a moment ago.
      const stopping = current.runner.stop().catch(() => undefined);
      await allEnded(jobs);
      // Wait until they are settled, but not forever, because a runner may never report it.
      await Promise.race([Promise.all([stopping, ended]), pause(settleMs, undefined, { ref: false })]);
      await allEnded(jobs);
      clearTimeout(timer);
    },
  };
}

/** Looks for jobs that were lost with their process, now and every few minutes. */
function recoverLostJobs({ pool, log, tasks, longestSeconds }: JobRunnerOptions): { stop(): void } {
  if (longestSeconds === undefined) return { stop: () => undefined };
  const recover = () =>
    pool
      .query(
        `update graphile_worker._private_jobs set locked_at = null, locked_by = null, run_at = greatest(run_at, now())
         where locked_at < now() - make_interval(secs => $1)
           and task_id in (select id from graphile_worker._private_tasks where identifier = any($2))`,
        [longestSeconds, Object.keys(tasks)],
      )
      .catch((err: unknown) =>
        log.warn({ err: nameOutage(err) }, 'lost jobs could not be looked for; they are looked for again'),
      );
  void recover();
  const timer = setInterval(() => void recover(), recoverEveryMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** The jobs of this runner and of the runners before it. */
interface Jobs {
  readonly running: Set<Promise<void>>;
  /** Tells the jobs to abort. */
  readonly cut: AbortController;
}

async function allEnded({ running }: Jobs): Promise<void> {
  while (running.size > 0) await Promise.allSettled(running);
}

/**
 * Waits until PostgreSQL responds and the previous runners have left a free place, so that never twice as many jobs run
 * as may.
 */
async function beginAgain(options: JobRunnerOptions, jobs: Jobs, signal: AbortSignal): Promise<Begun> {
  for (;;) {
    await pause(restartAfterMs, undefined, { signal });
    if (jobs.running.size >= options.concurrency) continue;
    try {
      return await begin(options, jobs);
    } catch (error) {
      options.log.warn({ err: nameOutage(error) }, didNotStart);
    }
  }
}

interface Begun {
  readonly runner: Runner;
  /**
   * The runner takes no more jobs. Its own promise settles later, after the last of its jobs, or never: it miscounts
   * when settling jobs fails, and then waits forever for the count to be right.
   */
  readonly closed: Promise<unknown>;
}

async function begin(options: JobRunnerOptions, { running, cut }: Jobs): Promise<Begun> {
  const { around = (_job, work) => work() } = options;
  const events: WorkerEvents = new EventEmitter();
  const closed = once(events, 'pool:gracefulShutdown');
  const looked = firstLook(events);
  const { Logger: WorkerLogger, run } = await import('graphile-worker');
  const runner = await run({
    pgPool: options.pool,
    events,
    concurrency: options.concurrency,
    noHandleSignals: true,
    // Otherwise it reads a file `crontab` in the working directory.
    parsedCronItems: [],
    // Settles jobs in batches, even batches of one: only then does a failure to settle end the runner instead of ending
    // the process as an unhandled rejection.
    preset: {
      worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 },
    },
    taskList: Object.fromEntries(
      Object.entries(options.tasks).map(([name, task]) => [
        name,
        (payload, { job: { id } }) => {
          const job = around({ name, id: Number(id), payload }, () => task(payload, cut.signal)).finally(() =>
            running.delete(job),
          );
          running.add(job);
          return job;
        },
      ]),
    ),
    logger: new WorkerLogger(() => (level, message, about) => {
      if (level !== 'error' && level !== 'warning') return;
      const { failure, error, fatalError } = about ?? {};
      // The error of a job may be about anything.
      const err: unknown = failure === true ? error : nameOutage(error ?? fatalError);
      // Without the stack, which the first line may be followed by.
      const report = isOutage(err) ? { report: message.split('\n', 1)[0], err } : { report: message };
      options.log.warn(report, 'the job runner reports');
    }),
  });
  // Its log says how it ended, and `closed` says when another one is needed.
  runner.promise.catch(() => undefined);
  void stopUnless(looked, runner);
  return { runner, closed };
}

/** Of the runner's own queries, which are made without our store. */
function nameOutage(error: unknown): unknown {
  return error instanceof Error && isPassing(error) ? toUnavailable(error) : error;
}

function isOutage(error: unknown): boolean {
  return error instanceof ExchangeError && error.code === 'unavailable';
}

/** Whether the first query for jobs succeeds. */
function firstLook(events: WorkerEvents): Promise<boolean> {
  return new Promise((resolve) => {
    events.once('worker:getJob:empty', () => resolve(true));
    events.once('job:start', () => resolve(true));
    events.once('worker:getJob:error', () => resolve(false));
  });
}

/**
 * A runner queries the ids of its tasks once and keeps the result, even if the query failed: then it never takes a job,
 * and reports nothing. A runner whose first query for jobs fails must therefore stop.
 */
async function stopUnless(looked: Promise<boolean>, runner: Runner): Promise<void> {
  if (await looked) return;
  // Not from inside its own event: the runner would treat that as its own failure and print it.
  await nextTurn();
  await runner.stop().catch(() => undefined);
}
