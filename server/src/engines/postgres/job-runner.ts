import { run, Logger as WorkerLogger } from 'graphile-worker';
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
  /** Ends when the runner does; fails when it was not asked to. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** Jobs are rows of PostgreSQL, enqueued in the transaction that makes them true. */
export async function startJobRunner(options: JobRunnerOptions): Promise<JobRunner> {
  const runner = await run({
    pgPool: options.pool,
    concurrency: options.concurrency,
    noHandleSignals: true,
    preset: { worker: { gracefulShutdownAbortTimeout: options.stopMs } },
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
  return { ended: runner.promise, stop: () => runner.stop() };
}
