import closeWithGrace from 'close-with-grace';
import { readConfig, requireWorkConnections } from './config/config.ts';
import { startCosigning } from './jobs/cosign.ts';
import { readAuditWaiting, startForwardingAudit } from './jobs/forward-audit.ts';
import { longTasks, tasks, webhookTasks } from './jobs/jobs.ts';
import { startReadingBounces } from './jobs/read-bounces.ts';
import { startScrubbing } from './jobs/scrub.ts';
import { startSequencing } from './jobs/sequence.ts';
import { startStamping } from './jobs/stamp.ts';
import { startSweeping } from './jobs/sweep.ts';
import { aroundJobs, aroundSweeps } from './observe/jobs.ts';
import { startService, stopLimitMs } from './service.ts';

export async function work(): Promise<void> {
  const config = readConfig();
  requireWorkConnections(config);
  const { log, observation, engines, adminConsole, manager } = await startService(config, 'work');
  observation.metrics.sources.backlog = engines.backlog;
  observation.metrics.sources.auditWaitingSeconds = () => readAuditWaiting(engines, engines.auditTargets);
  const options = { stopMs: config.WAYBILL_STOP_SECONDS * 1000, around: aroundJobs(observation, log) };
  const runners = await Promise.all([
    engines.startJobRunner({ ...options, concurrency: config.WAYBILL_WORKER_CONCURRENCY, tasks: tasks(engines) }),
    engines.startJobRunner({ ...options, concurrency: config.WAYBILL_CHECKS_AT_ONCE, tasks: longTasks(engines) }),
    engines.startJobRunner({ ...options, concurrency: config.WAYBILL_WEBHOOKS_AT_ONCE, tasks: webhookTasks(engines) }),
  ]);
  await adminConsole.started();
  await manager.ready();
  log.info({ working: true }, 'working');
  const sweeping = startSweeping(engines, {
    around: aroundSweeps(observation),
    onFailure: (err) => log.warn({ err }, 'a sweep failed; the next one continues it'),
  });
  const sequencing = startSequencing(engines, {
    onFailure: (err) => log.warn({ err }, 'the evidence log was not continued; it is tried again'),
  });
  const cosigning = startCosigning(engines, {
    hasTurn: () => sequencing.hasTurn(),
    onFailure: (err) => log.warn({ err }, 'the evidence log was not cosigned; it is tried again'),
  });
  observation.metrics.sources.witnesses = () => cosigning.readResults();
  const stamping = startStamping(engines, {
    onFailure: (err) => log.warn({ err }, 'the evidence log was not stamped; it is tried again'),
  });
  const bounces =
    engines.bounceMailbox &&
    startReadingBounces(engines, engines.bounceMailbox, {
      onFailure: (err) => log.warn({ err }, 'mails that came back could not be read; they are tried again'),
    });
  const forwarding = startForwardingAudit(engines, engines.auditTargets, {
    onFailure: (err) => log.warn({ err }, 'sending the audit failed; it is continued'),
  });
  const bytesPerSecond = config.WAYBILL_SCRUB_BYTES_PER_SECOND;
  const scrubbing =
    bytesPerSecond > 0 &&
    startScrubbing(engines, {
      bytesPerSecond,
      onFailure: (err) => log.warn({ err }, 'reading stored files again failed; it is continued'),
    });
  closeWithGrace({ delay: stopLimitMs(config), logger: log }, async ({ err }) => {
    if (err) log.fatal({ err }, 'an unexpected error ends this process');
    adminConsole.stopping();
    await manager.stopping();
    const parts = [sweeping, sequencing, cosigning, stamping, bounces, scrubbing, forwarding, ...runners].filter(
      (part) => part !== false && part !== undefined,
    );
    await Promise.all(parts.map((part) => part.stop()));
    await adminConsole.close();
    await engines.close();
    await observation.tracing.stop();
  });
  await Promise.race(runners.map((runner) => runner.ended));
}
