import type { Engines } from '../domain/engines.ts';
import type { WitnessOutcome } from '../domain/evidence/collect-cosignatures.ts';
import { LogCosigner } from '../domain/evidence/cosign-log.ts';
import { type Reports, repeat } from '../domain/flow/repeat.ts';

/** Witnesses are asked about the newest checkpoint this often. */
const everyMs = 2_000;

/** Has the evidence log cosigned, by the worker that writes it. */
export function startCosigning(
  engines: Engines,
  { hasTurn, ...reports }: Reports & { hasTurn: () => boolean },
): { readResults(): Readonly<Record<string, WitnessOutcome['result']>>; stop(): Promise<void> } {
  const cosigner = new LogCosigner(engines);
  const repeated = repeat(async (signal) => hasTurn() && cosigner.step(signal), { everyMs, ...reports });
  return { readResults: () => (hasTurn() ? cosigner.results : {}), stop: () => repeated.stop() };
}
