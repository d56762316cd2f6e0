import type { Engines } from '../src/domain/engines.ts';
import { longTasks, tasks, webhookTasks } from '../src/jobs/jobs.ts';
import { watchJob } from './watch-operations.ts';

/** Runs a job with the engines of a test, as `work` does. */
export async function runJob(
  engines: object,
  name: string,
  payload: object,
  signal = new AbortController().signal,
): Promise<void> {
  const given = engines as Engines;
  const job = { ...tasks(given), ...longTasks(given), ...webhookTasks(given) }[name];
  if (!job) throw new Error(`There is no job ${name}.`);
  await watchJob(name, () => job(payload, signal));
}
