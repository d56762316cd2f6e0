import type { Finding } from '../doctor/finding.ts';
import { fault, ok, reason, warning } from '../doctor/finding.ts';
import type { AuditTarget } from './audit-target.ts';
import type { AuditTargetName, AuditTargetState } from './audit-target-store.ts';

const probeMs = 10_000;
/** Entries are usually sent within seconds. */
const lateSeconds = 300;

/** Connects to each target without sending an entry, and judges what `work` has sent. Undefined states: unknown. */
export async function* examineAuditTargets(
  targets: ReadonlyMap<AuditTargetName, AuditTarget>,
  states: readonly AuditTargetState[] | undefined,
): AsyncGenerator<Finding> {
  for (const [name, target] of targets) {
    yield await probeTarget(name, target);
    if (states)
      yield judgeState(
        name,
        states.find((state) => state.name === name),
      );
  }
}

async function probeTarget(name: AuditTargetName, target: AuditTarget): Promise<Finding> {
  const check = 'audit.reachable';
  try {
    await target.probe(AbortSignal.timeout(probeMs));
    return ok(check, `The target ${name} accepts a connection. Nothing was sent.`);
  } catch (error) {
    return fault(
      check,
      `The target ${name} is out of reach: ${reason(error)}.`,
      `Start it, check that this machine may connect to it, or correct WAYBILL_AUDIT_${name.toUpperCase()}_URL and WAYBILL_AUDIT_CA_FILE. Until then, entries wait in the database.`,
    );
  } finally {
    target.close();
  }
}

function judgeState(name: AuditTargetName, state: AuditTargetState | undefined): Finding {
  const check = 'audit.delivery';
  if (!state) {
    return warning(
      check,
      `No audit entry has been sent to ${name} yet.`,
      'Start `work`, or restart it after a change of settings.',
    );
  }
  const { failingSince, failure, oldestWaitingAt, waitingSeconds } = state;
  if (failingSince) {
    return fault(
      check,
      `Since ${failingSince.toISOString()}, the target ${name} has not taken audit entries: ${failure ?? 'unknown'}.`,
      'Look at the log of the target, and correct the cause. The entries are sent as soon as it takes them.',
    );
  }
  if (oldestWaitingAt && waitingSeconds > lateSeconds) {
    return warning(
      check,
      `Audit entries since ${oldestWaitingAt.toISOString()} have not been sent to ${name}.`,
      'Look whether `work` runs. If it does, the target is slower than entries are written.',
    );
  }
  return ok(check, `The target ${name} has all audit entries, apart from those of the last minutes.`);
}
