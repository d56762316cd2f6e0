import closeWithGrace from 'close-with-grace';
import { readConfig, requireWorkConnections } from '../config/config.ts';
import { longTasks, tasks, webhookTasks } from '../jobs/jobs.ts';
import {
  readAuditWaiting,
  startCosigning,
  startForwardingAudit,
  startReadingBounces,
  startScrubbing,
  startSequencing,
  startStamping,
  startSweeping,
} from '../jobs/loops.ts';
import { aroundJobs, aroundSweeps } from '../observe/jobs.ts';
import { letHeapGrow } from './heap-growth.ts';
import { startService, stopLimitMs } from './service.ts';

/** Longer than the ten minutes after which the mail server is not waited for any more. */
const longestJobSeconds = 15 * 60;

interface Stoppable {
  stop(): Promise<unknown>;
}

export async function work(): Promise<void> {
  letHeapGrow();
  const config = readConfig();
  requireWorkConnections(config);
  const { log, observation, engines, probes, manager } = await startService(config, 'work');
  observation.metrics.sources.backlog = engines.backlog;
  observation.metrics.sources.auditWaitingSeconds = () => readAuditWaiting(engines, engines.auditTargets);
  const parts: Stoppable[] = [];
  const stopping = new AbortController();
  const options = {
    stopMs: config.WAYBILL_STOP_SECONDS * 1000,
    around: aroundJobs(observation, log),
    signal: stopping.signal,
  };
  const begin = () => [
    engines.startJobRunner({
      ...options,
      concurrency: config.WAYBILL_WORKER_CONCURRENCY,
      tasks: tasks(engines),
      longestSeconds: longestJobSeconds,
    }),
    engines.startJobRunner({ ...options, concurrency: config.WAYBILL_CHECKS_AT_ONCE, tasks: longTasks(engines) }),
    engines.startJobRunner({ ...options, concurrency: config.WAYBILL_WEBHOOKS_AT_ONCE, tasks: webhookTasks(engines) }),
  ];
  let starting: ReturnType<typeof begin> = [];
  // Before the first job is taken: until then, a signal ends the process at once. A job that ends with its process is only
  // repeated after its lease.
  closeWithGrace({ delay: stopLimitMs(config), logger: log }, async ({ err }) => {
    if (err) log.fatal({ err }, 'an unexpected error ends this process');
    stopping.abort();
    probes.stopping();
    await manager.stopping();
    const started = (await Promise.allSettled(starting)).flatMap((result) =>
      result.status === 'fulfilled' ? [result.value] : [],
    );
    await Promise.all([...started, ...parts].map((part) => part.stop()));
    await probes.close();
    await engines.close();
    await observation.tracing.stop();
  });
  starting = begin();
  const runners = await Promise.all(starting).catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
    return [];
  });
  if (stopping.signal.aborted) return;
  await probes.started();
  await manager.ready();
  if (stopping.signal.aborted) return;
  log.info({ working: true }, 'working');
  const { outages } = observation;
  const reports = (loop: string, event: string) => ({
    onFailure: (error: unknown) => outages.loopFailed(loop, event, error),
    onSuccess: () => outages.loopSucceeded(loop),
  });
  const sequencing = startSequencing(engines, {
    ...reports('sequencer', 'the evidence log was not continued; it is tried again'),
  });
  const cosigning = startCosigning(engines, {
    hasTurn: () => sequencing.hasTurn(),
    ...reports('cosigning', 'the evidence log was not cosigned; it is tried again'),
  });
  observation.metrics.sources.witnesses = () => cosigning.readResults();
  parts.push(
    sequencing,
    cosigning,
    startSweeping(engines, {
      around: aroundSweeps(observation),
      ...reports('sweep', 'a sweep failed; the next one continues it'),
    }),
    startForwardingAudit(engines, engines.auditTargets, {
      ...reports('audit', 'sending the audit failed; it is continued'),
    }),
  );
  const stamping = startStamping(engines, {
    ...reports('stamping', 'the evidence log was not stamped; it is tried again'),
  });
  if (stamping) parts.push(stamping);
  if (engines.bounceMailbox) {
    const reported = reports('bounces', 'mails that came back could not be read; they are tried again');
    parts.push(startReadingBounces(engines, engines.bounceMailbox, reported));
  }
  const bytesPerSecond = config.WAYBILL_SCRUB_BYTES_PER_SECOND;
  if (bytesPerSecond > 0) {
    const reported = reports('scrub', 'reading stored files again failed; it is continued');
    parts.push(startScrubbing(engines, { bytesPerSecond, ...reported }));
  }
  await Promise.race(runners.map((runner) => runner.ended));
}
