import { setTimeout } from 'node:timers/promises';
import type { Engines } from '../domain/ports/index.ts';
import { sweepAlone } from '../domain/sweep.ts';

/**
 * Sweeps once a minute, beside the jobs: a long sweep takes no job's place. Every worker tries to; while one of them
 * sweeps, the others do not.
 */
export function startSweeping(
  engines: Engines,
  options: { onFailure: (error: unknown) => void; everyMs?: number },
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const ended = (async () => {
    while (!signal.aborted) {
      await sweepAlone(engines, signal).catch((error: unknown) => signal.aborted || options.onFailure(error));
      await setTimeout(options.everyMs ?? 60_000, undefined, { signal }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
