import { type Finding, fault, ok, reason, warning } from '../doctor/finding.ts';
import { type AuditTarget, AuditTargetError } from './audit-target.ts';
import type { AuditTargetName, AuditTargetState } from './audit-target-store.ts';

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

/** Entries are usually sent within seconds. */
const lateSeconds = 300;

interface AuditTargetJudgement {
  readonly status: 'well' | 'new' | 'late' | 'failing';
  readonly says: string;
  /** The remedy for an operator, if there is one. */
  readonly remedy?: string;
}

/** Judges what was sent to a target, for the doctor and for `audit targets`. Undefined: nothing yet. */
export function judgeTarget(name: AuditTargetName, state: AuditTargetState | undefined): AuditTargetJudgement {
  if (!state) {
    const remedy = 'Start `work`, or restart it after a change of settings.';
    return { status: 'new', says: `No audit entry has been sent to ${name} yet.`, remedy };
  }
  const { failingSince, failure, remedy, refusedId, oldestWaitingAt, waitingSeconds } = state;
  if (failingSince) {
    const says = `Since ${failingSince.toISOString()}, the target ${name} has not taken audit entries: ${failure ?? 'unknown'}.`;
    return { status: 'failing', says, remedy: joinRemedies(name, remedy, refusedId) };
  }
  if (oldestWaitingAt && waitingSeconds > lateSeconds) {
    return {
      status: 'late',
      says: `Audit entries since ${oldestWaitingAt.toISOString()} have not been sent to ${name}.`,
      remedy: 'Look whether `work` runs. If it does, the target is slower than entries are written.',
    };
  }
  return { status: 'well', says: `The target ${name} has all audit entries, apart from those of the last minutes.` };
}

function joinRemedies(name: AuditTargetName, remedy: string | null, refusedId: string | null): string {
  const given = remedy ?? 'Look at the log of the target.';
  if (refusedId === null) return given;
  return `${given} All other entries wait for the entry ${refusedId}. To send them without it: waybilld admin audit skip ${name} ${refusedId}`;
}
