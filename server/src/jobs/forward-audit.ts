import type { AuditTarget } from '../domain/audit/audit-target.ts';
import type { AuditTargetName } from '../domain/audit/audit-target-store.ts';
import { listAuditTargets } from '../domain/audit/follow-audit.ts';
import { forwardAudit } from '../domain/audit/forward-audit.ts';
import type { Engines } from '../domain/engines.ts';
import { type Reports, repeat } from '../domain/flow/repeat.ts';

/** How soon another worker takes over from one that has stopped. */
const everyMs = 1_000;

/** Sends the audit to each target, beside the jobs. One worker at a time sends to a target. */
export function startForwardingAudit(
  engines: Engines,
  targets: ReadonlyMap<AuditTargetName, AuditTarget>,
  reports: Reports,
): { stop(): Promise<void> } {
  const forwarding = [...targets].map(([name, target]) =>
    repeat((signal) => forwardAudit(engines, name, target, signal), { everyMs, ...reports }),
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
