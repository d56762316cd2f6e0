import type { AuditTarget } from '../domain/audit/audit-target.ts';
import type { AuditTargetName } from '../domain/audit/audit-target-store.ts';
import { listAuditTargets } from '../domain/audit/follow-audit.ts';
import { forwardAudit } from '../domain/audit/forward-audit.ts';
import type { Engines } from '../domain/engines.ts';
import type { WitnessOutcome } from '../domain/evidence/collect-cosignatures.ts';
import { LogCosigner } from '../domain/evidence/cosign-log.ts';
import { Sequencer, type SequencerEngines } from '../domain/evidence/sequencer.ts';
import { stampLog } from '../domain/evidence/stamp-log.ts';
import { scrubAlone } from '../domain/files/scrub.ts';
import { RateLimiter } from '../domain/flow/rate-limiter.ts';
import { type Reports, repeat } from '../domain/flow/repeat.ts';
import { readBounces } from '../domain/outbox/read-bounces.ts';
import type { Mailbox } from '../domain/ports/mailer.ts';
import { type OnSwept, SweepPositions, type Swept, sweepAlone } from '../domain/sweep.ts';

/** A batch of the evidence log begins this long after the one before, or at once if that was not enough. */
const sequenceEveryMs = 1_000;

/** Appends what happened to the evidence log once a second. Every worker tries to; one of them does. */
export function startSequencing(
  engines: SequencerEngines,
  reports: Reports,
): { hasTurn(): boolean; stop(): Promise<void> } {
  const sequencer = new Sequencer(engines);
  const repeated = repeat(
    async (signal) => {
      while (!signal.aborted && (await sequencer.step(signal)));
    },
    { everyMs: (tookMs) => Math.max(0, sequenceEveryMs - tookMs), ...reports },
  );
  return {
    hasTurn: () => sequencer.hasTurn,
    async stop() {
      await repeated.stop();
      await sequencer.stop();
    },
  };
}

/** Witnesses are asked about the newest checkpoint this often. */
const cosignEveryMs = 2_000;

/** Has the evidence log cosigned, by the worker that writes it. */
export function startCosigning(
  engines: Engines,
  { hasTurn, ...reports }: Reports & { hasTurn: () => boolean },
): { readResults(): Readonly<Record<string, WitnessOutcome['result']>>; stop(): Promise<void> } {
  const cosigner = new LogCosigner(engines);
  const repeated = repeat(async (signal) => hasTurn() && cosigner.step(signal), { everyMs: cosignEveryMs, ...reports });
  return { readResults: () => (hasTurn() ? cosigner.results : {}), stop: () => repeated.stop() };
}

/** How often a worker looks whether a checkpoint is due to be stamped. */
const stampEveryMs = 10_000;

/** Has the evidence log stamped, if the operator has named an authority. Every worker looks; one of them requests. */
export function startStamping(engines: Engines, reports: Reports): { stop(): Promise<void> } | undefined {
  const { timeStampAuthority } = engines;
  if (!timeStampAuthority) return undefined;
  return repeat((signal) => stampLog(engines, timeStampAuthority, signal), { everyMs: stampEveryMs, ...reports });
}

/** Called around every sweep, which returns nothing if another process is sweeping. */
type AroundSweep = (sweep: (onSwept?: OnSwept) => Promise<Swept | undefined>) => Promise<Swept | undefined>;

/**
 * Sweeps once a minute, beside the jobs, so that a long sweep does not take a job's place. Every worker tries to sweep;
 * while one of them does, the others do not.
 */
export function startSweeping(
  engines: Engines,
  { around = (sweep) => sweep(), everyMs = 60_000, ...reports }: Reports & { around?: AroundSweep; everyMs?: number },
): { stop(): Promise<void> } {
  const positions = new SweepPositions();
  return repeat((signal) => around((onSwept) => sweepAlone(engines, signal, positions, onSwept)), {
    everyMs,
    ...reports,
  });
}

/** Files live for days or weeks: a scrub reads most of them once or twice. */
const restSeconds = 7 * 24 * 60 * 60;

/** How long a worker scrubs before a pause, in which an administrator's command can take over. */
const turnMs = 60_000;
const pauseMs = 5_000;

/**
 * Reads all stored files again, slowly, beside the jobs, and begins again a week after it began. One worker at a time
 * does it.
 */
export function startScrubbing(
  engines: Engines,
  { bytesPerSecond, ...reports }: Reports & { bytesPerSecond: number },
): { stop(): Promise<void> } {
  const rateLimiter = new RateLimiter(bytesPerSecond);
  return repeat((signal) => scrubAlone(engines, { signal, rateLimiter, restSeconds, forMs: turnMs }), {
    everyMs: pauseMs,
    ...reports,
  });
}

/** How soon another worker forwards the audit in place of one that has stopped. */
const forwardEveryMs = 1_000;

/** Sends the audit to each target, beside the jobs. One worker at a time sends to a target. */
export function startForwardingAudit(
  engines: Engines,
  targets: ReadonlyMap<AuditTargetName, AuditTarget>,
  reports: Reports,
): { stop(): Promise<void> } {
  const forwarding = [...targets].map(([name, target]) =>
    repeat((signal) => forwardAudit(engines, name, target, signal), { everyMs: forwardEveryMs, ...reports }),
  );
  return {
    async stop() {
      await Promise.all(forwarding.map((one) => one.stop()));
    },
  };
}

/** The age in seconds of the oldest entry that each target does not have. */
export async function readAuditWaiting(
  engines: Pick<Engines, 'store'>,
  targets: ReadonlyMap<AuditTargetName, AuditTarget>,
): Promise<Record<string, number>> {
  if (targets.size === 0) return {};
  const states = (await listAuditTargets(engines)).filter(({ name }) => targets.has(name));
  return Object.fromEntries(states.map(({ name, waitingSeconds }) => [name, waitingSeconds]));
}

/** Reads returned mails every few seconds, beside the jobs. */
export function startReadingBounces(
  engines: Engines,
  mailbox: Mailbox,
  { everyMs = 10_000, ...reports }: Reports & { everyMs?: number },
): { stop(): Promise<void> } {
  return repeat((signal) => readBounces(engines, mailbox, signal), { everyMs, ...reports });
}
