import { setTimeout } from 'node:timers/promises';

/** Repeats the work, with a pause after each run, until it is stopped. */
export function repeat(
  work: (signal: AbortSignal) => Promise<unknown>,
  options: { readonly everyMs: number; readonly onFailure: (error: unknown) => void },
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const ended = (async () => {
    while (!signal.aborted) {
      await work(signal).catch((error: unknown) => signal.aborted || options.onFailure(error));
      await setTimeout(options.everyMs, undefined, { signal }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
