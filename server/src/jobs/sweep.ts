import type { Engines } from '../domain/engines.ts';
import { type Reports, repeat } from '../domain/flow/repeat.ts';
import { SweepPositions, type Swept, sweepAlone } from '../domain/sweep.ts';

/** Called around every sweep, which returns nothing if another process is sweeping. */
export type AroundSweep = (sweep: () => Promise<Swept | undefined>) => Promise<Swept | undefined>;

/**
 * Sweeps once a minute, beside the jobs, so that a long sweep does not take a job's place. Every worker tries to sweep;
 * while one of them does, the others do not.
 */
export function startSweeping(
  engines: Engines,
  { around = (sweep) => sweep(), everyMs = 60_000, ...reports }: Reports & { around?: AroundSweep; everyMs?: number },
): { stop(): Promise<void> } {
  const positions = new SweepPositions();
  return repeat((signal) => around(() => sweepAlone(engines, signal, positions)), { everyMs, ...reports });
}
