import type { AuditTargetName, AuditTargetState } from './audit-target-store.ts';

/** Entries are usually sent within seconds. */
const lateSeconds = 300;

export interface AuditTargetJudgement {
  readonly status: 'well' | 'new' | 'late' | 'failing';
  readonly says: string;
  /** What an operator can do, if there is anything. */
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
