import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { type Runner, run, type WorkerEvents, Logger as WorkerLogger } from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';

export interface JobRunnerOptions {
  readonly pool: pg.Pool;
  readonly log: Logger;
  readonly concurrency: number;
  readonly tasks: Readonly<Record<string, (payload: unknown, signal: AbortSignal) => Promise<void>>>;
  /** After a stop, how long jobs may take before they are told to break off. They are tried again later. */
  readonly stopMs: number;
}

export interface JobRunner {
  /** Ends after `stop`, and not before. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const restartAfterMs = 500;

/**
 * Jobs are rows of PostgreSQL, enqueued in the transaction that makes them true. A runner that loses its connection while
 * it takes or settles a job ends with all its workers: it is started again, for as long as nobody has stopped it.
 */
export async function startJobRunner(options: JobRunnerOptions): Promise<JobRunner> {
  const stopped = new AbortController();
  let runner = await begin(options);
  const keepRunning = async () => {
    for (;;) {
      await runner.promise.catch(() => undefined);
      if (stopped.signal.aborted) return;
      options.log.warn('the job runner ended and is started again');
      runner = await beginAgain(options, stopped.signal);
    }
  };
  return {
    ended: keepRunning().catch((error: unknown) => {
      if (!stopped.signal.aborted) throw error;
    }),
    async stop() {
      stopped.abort();
      // It may have ended by itself a moment ago.
      await runner.stop().catch(() => undefined);
    },
  };
}

/** Until PostgreSQL answers. */
async function beginAgain(options: JobRunnerOptions, signal: AbortSignal): Promise<Runner> {
  for (;;) {
    await pause(restartAfterMs, undefined, { signal });
    try {
      return await begin(options);
    } catch (error) {
      options.log.warn({ err: error }, 'the job runner did not start');
    }
  }
}

async function begin(options: JobRunnerOptions): Promise<Runner> {
  const events: WorkerEvents = new EventEmitter();
  const looked = firstLook(events);
  const runner = await run({
    pgPool: options.pool,
    events,
    concurrency: options.concurrency,
    noHandleSignals: true,
    // Settled in batches, if of one: only then does a failure to settle end the runner and not, unhandled, the process.
    preset: {
      worker: { gracefulShutdownAbortTimeout: options.stopMs, completeJobBatchDelay: 0, failJobBatchDelay: 0 },
    },
    taskList: Object.fromEntries(
      Object.entries(options.tasks).map(([name, task]) => [
        name,
        (payload, { abortSignal }) => task(payload, abortSignal ?? new AbortController().signal),
      ]),
    ),
    logger: new WorkerLogger(() => (level, message) => {
      if (level === 'error' || level === 'warning') options.log.warn({ report: message }, 'the job runner reports');
    }),
  });
  void endUnless(looked, runner);
  return runner;
}

/** Whether the first look for jobs succeeds. */
function firstLook(events: WorkerEvents): Promise<boolean> {
  return new Promise((resolve) => {
    events.once('worker:getJob:empty', () => resolve(true));
    events.once('job:start', () => resolve(true));
    events.once('worker:getJob:error', () => resolve(false));
  });
}

/**
 * A runner asks for the numbers of its tasks once and keeps the answer, even if the answer is a failure: then it never
 * takes a job, and says nothing. So one whose first look for jobs fails must end.
 */
async function endUnless(looked: Promise<boolean>, runner: Runner): Promise<void> {
  if (await looked) return;
  // Not from inside its own event: it would take that for a fault of its own and print it.
  await nextTurn();
  await runner.stop().catch(() => undefined);
}
