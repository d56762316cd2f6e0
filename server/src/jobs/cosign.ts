import type { Engines } from '../domain/engines.ts';
import { LogCosigner } from '../domain/evidence/cosign-log.ts';
import { repeat } from '../domain/flow/repeat.ts';

/** Witnesses are asked about the newest checkpoint this often. */
const everyMs = 2_000;

/** Has the evidence log cosigned. Every worker does it; a witness gives each the same. */
export function startCosigning(
  engines: Engines,
  { onFailure }: { onFailure: (error: unknown) => void },
): { stop(): Promise<void> } | undefined {
  if (engines.witnesses.list.length === 0) return undefined;
  const cosigner = new LogCosigner(engines);
  return repeat((signal) => cosigner.step(signal), { everyMs, onFailure });
}
