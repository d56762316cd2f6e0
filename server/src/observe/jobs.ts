import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from 'pino';
import type { Observation } from './observe-engines.ts';

const currentJob = new AsyncLocalStorage<{ readonly job: string; readonly jobId: number }>();

/** Added to each line that is logged in a job. */
export const jobFields = () => currentJob.getStore() ?? {};

/** Measures, traces and logs every job. It continues the trace of the request that enqueued it. */
export function aroundJobs({ metrics, tracing }: Observation, log: Logger) {
  return (
    { name: job, id: jobId, payload }: { name: string; id: number; payload: unknown },
    run: () => Promise<void>,
  ): Promise<void> =>
    currentJob.run({ job, jobId }, async () => {
      const begin = performance.now();
      const { traceparent } = payload as { traceparent?: string };
      const span = tracing.begin(
        `job ${job}`,
        'consumer',
        { 'waybill.job': job, 'waybill.job_id': jobId },
        traceparent,
      );
      let failure: string | undefined;
      metrics.jobsInProgress.inc({ task: job });
      // A counter that begins with its first event shows no increase by it.
      metrics.jobFailures.inc({ task: job }, 0);
      try {
        await span.within(run);
      } catch (error) {
        failure = errorName(error);
        metrics.jobFailures.inc({ task: job });
        throw error;
      } finally {
        const ms = performance.now() - begin;
        metrics.jobsInProgress.dec({ task: job });
        metrics.jobSeconds.observe({ task: job }, ms / 1000);
        span.within(() => log.info({ ms: Math.round(ms), failure }, 'a job ended'));
        span.end({}, failure);
      }
    });
}

/** Measures and traces every sweep. */
export function aroundSweeps({ metrics, tracing }: Observation) {
  return async <Swept extends Readonly<Record<string, number>>>(
    sweep: (onSwept: (swept: Swept) => void) => Promise<Swept | undefined>,
  ): Promise<Swept | undefined> => {
    const count = (swept: Swept) => {
      for (const [kind, rows] of Object.entries(swept)) metrics.swept.inc({ kind }, rows);
    };
    const begin = performance.now();
    const span = tracing.begin('sweep', 'internal', {});
    let failure: string | undefined;
    try {
      const swept = await span.within(() => sweep(count));
      // Another process is sweeping.
      if (!swept) return undefined;
      metrics.sweepSucceeded.setToCurrentTime();
      metrics.sweepSeconds.observe((performance.now() - begin) / 1000);
      return swept;
    } catch (error) {
      failure = errorName(error);
      metrics.sweepFailures.inc();
      throw error;
    } finally {
      span.end({}, failure);
    }
  };
}

const errorName = (error: unknown) => (error instanceof Error ? error.name : 'Error');
