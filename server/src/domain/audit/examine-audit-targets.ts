import type { Finding } from '../doctor/finding.ts';
import { fault, ok, reason, warning } from '../doctor/finding.ts';
import { type AuditTarget, AuditTargetError } from './audit-target.ts';
import type { AuditTargetName, AuditTargetState } from './audit-target-store.ts';
import { judgeTarget } from './judge-target.ts';

const probeMs = 10_000;

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
      error instanceof AuditTargetError ? error.remedy : 'Correct the settings of the target.',
    );
  } finally {
    target.close();
  }
}

function judgeState(name: AuditTargetName, state: AuditTargetState | undefined): Finding {
  const check = 'audit.delivery';
  const { status, says, remedy } = judgeTarget(name, state);
  if (remedy === undefined) return ok(check, says);
  return status === 'failing' ? fault(check, says, remedy) : warning(check, says, remedy);
}
