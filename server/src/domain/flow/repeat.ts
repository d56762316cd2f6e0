import { setTimeout } from 'node:timers/promises';

/** Called after each run. */
export interface Reports {
  readonly onFailure: (error: unknown) => void;
  readonly onSuccess?: () => void;
}

/** Repeats the work, with a pause after each run, until it is stopped. The pause may depend on how long the run took. */
export function repeat(
  work: (signal: AbortSignal) => Promise<unknown>,
  options: Reports & { readonly everyMs: number | ((tookMs: number) => number) },
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const ended = (async () => {
    while (!signal.aborted) {
      const since = performance.now();
      await work(signal).then(
        () => options.onSuccess?.(),
        (error: unknown) => signal.aborted || options.onFailure(error),
      );
      const { everyMs } = options;
      const pauseMs = typeof everyMs === 'number' ? everyMs : everyMs(performance.now() - since);
      await setTimeout(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
