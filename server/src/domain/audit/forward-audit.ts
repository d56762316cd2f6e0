import { setTimeout } from 'node:timers/promises';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { retryThroughOutage } from '../flow/retry-through-outage.ts';
import type { Random } from '../ports/random.ts';
import type { AuditPosition, ByCommand, FullAuditEntry } from './audit-store.ts';
import { type AuditTarget, AuditTargetError } from './audit-target.ts';
import type { AuditTargetLease, AuditTargetName } from './audit-target-store.ts';
import { record, serverAccountId } from './record.ts';
import { closedByTarget } from './to-target-error.ts';

const leaseSeconds = 30;
/** For one batch. A lease is renewed before a batch that may take longer than it lasts. */
const sendMs = 20_000;
const lookEveryMs = 500;
const maxBatch = 500;
/** At the beginning and, at most, after a failure: a slow target is sooner done with little. */
const firstBatch = 10;
const firstPauseMs = 500;
const longestPauseMs = 60_000;

type Needs = Pick<Engines, 'store' | 'random' | 'logger'>;

/**
 * Sends a target all audit entries in their order, until the signal aborts or another process sends to it. Returns at
 * once if another process does already. An entry is sent again, with the same id, unless it is certain that the target
 * has stored it. At most one batch of entries is in memory, however slow the target is.
 */
export async function forwardAudit(
  engines: Needs,
  name: AuditTargetName,
  target: AuditTarget,
  signal: AbortSignal,
): Promise<void> {
  const { auditTargets } = engines.store;
  const takenMs = performance.now();
  const taken = await auditTargets.take(name, leaseSeconds);
  if (!taken) return;
  try {
    await sendWhileHeld(engines, target, { ...taken, takenMs }, signal);
  } finally {
    target.close();
    await retryThroughOutage(() => auditTargets.release(taken.lease));
  }
}

async function sendWhileHeld(
  engines: Needs,
  target: AuditTarget,
  { lease, position, takenMs }: { lease: AuditTargetLease; position: AuditPosition | undefined; takenMs: number },
  signal: AbortSignal,
): Promise<void> {
  const { audit, auditTargets } = engines.store;
  let delivered = position;
  /** The ends of batches that the target has read but may not have stored, oldest first. */
  let unsettled: { readonly position: AuditPosition; readonly atMs: number }[] = [];
  let batch = firstBatch;
  let sending: readonly FullAuditEntry[] = [];
  let failures = 0;
  let renewedMs = takenMs;

  const advance = async (to: AuditPosition | undefined) => {
    const nowMs = performance.now();
    const isHeld = await auditTargets.advance(lease, to, leaseSeconds);
    if (isHeld) renewedMs = nowMs;
    delivered = to ?? delivered;
    return isHeld;
  };
  /**
   * Records what was sent, and renews a lease that is about to end: a process that stood still must not send beside
   * another one.
   */
  const settle = async () => {
    const nowMs = performance.now();
    const isSettled = ({ atMs }: { atMs: number }) => !target.isLost && atMs + target.settleMs <= nowMs;
    const settled = unsettled.findLast(isSettled);
    if (!settled && nowMs + sendMs < renewedMs + leaseSeconds * 1000) return true;
    unsettled = unsettled.filter((sent) => !isSettled(sent));
    return advance(settled?.position);
  };
  const sendNext = async () => {
    if (target.isLost) {
      if (unsettled.length > 0) throw closedByTarget();
      target.close();
    }
    sending = await audit.follow(unsettled.at(-1)?.position ?? delivered, batch);
    const last = sending.at(-1);
    if (!last) return false;
    await target.send(sending, AbortSignal.any([signal, AbortSignal.timeout(sendMs)]));
    unsettled.push({ position: last.position, atMs: performance.now() });
    failures = 0;
    const isFull = sending.length === batch;
    batch = Math.min(batch * 2, maxBatch);
    return isFull;
  };

  while (!signal.aborted && (await settle())) {
    let pauseMs = lookEveryMs;
    try {
      if (await sendNext()) continue;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof AuditTargetError)) throw error;
      target.close();
      unsettled = [];
      // Smaller and smaller, until an entry that the target refuses is alone.
      const refusedId = error.isRefusal && sending.length === 1 ? sending[0]?.id : undefined;
      batch = Math.min(firstBatch, Math.ceil(sending.length / 2));
      failures += 1;
      pauseMs = choosePause(failures, error, engines.random);
      const { message: reason, remedy } = error;
      const details = { target: lease.name, reason, remedy, retryInMs: Math.round(pauseMs) };
      engines.logger.warn('audit entries could not be sent; they are sent again', details);
      if (!(await auditTargets.fail(lease, { reason, remedy, refusedId }, leaseSeconds + pauseMs / 1000))) return;
      renewedMs = performance.now() + pauseMs;
    }
    await setTimeout(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Twice as long after each failure, up to half longer by chance, and at least as long as the target asks for. */
function choosePause(failures: number, { retryAfterSeconds = 0 }: AuditTargetError, random: Random): number {
  const pauseMs = Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
  const jitter = 1 + random.bytes(1).readUInt8() / 512;
  return Math.min(Math.max(pauseMs * jitter, retryAfterSeconds * 1000), longestPauseMs);
}

/**
 * Continues with the entry after one that a target refuses. The target is told that it lacks an entry, because the audit
 * records it.
 */
export async function skipRefusedEntry(
  engines: Pick<Engines, 'store' | 'random'> & ByCommand,
  name: AuditTargetName,
  entryId: string,
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    const skipped = await tx.auditTargets.skip(name, entryId);
    if (!skipped) {
      throw new ExchangeError(
        'not_found',
        `The target ${name} does not refuse the entry ${entryId}. To see which one it refuses: waybilld admin audit targets`,
      );
    }
    await record(engines, tx, {
      accountId: serverAccountId,
      author: engines.administrator,
      action: 'audit.skipped',
      details: { target: name, entryId, failure: skipped.failure },
    });
  });
}
