import type { Engines } from '../domain/engines.ts';
import { stampLog } from '../domain/evidence/stamp-log.ts';
import { type Reports, repeat } from '../domain/flow/repeat.ts';

/** It is looked this often whether a checkpoint is due. */
const everyMs = 10_000;

/** Has the evidence log stamped, if the operator has named an authority. Every worker looks; one of them requests. */
export function startStamping(engines: Engines, reports: Reports): { stop(): Promise<void> } | undefined {
  const { timeStampAuthority } = engines;
  if (!timeStampAuthority) return undefined;
  return repeat((signal) => stampLog(engines, timeStampAuthority, signal), { everyMs, ...reports });
}
