/** The clock and the source of random numbers of the client, which tests replace. */
export interface Runtime {
  /** Milliseconds since 1970. */
  now(): number;
  /** Waits. Rejects with the signal's reason if it is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** A random number from 0 up to, but not including, 1. */
  random(): number;
  /** A random UUID. */
  uuid(): string;
}

export const defaultRuntime: Runtime = {
  now: () => Date.now(),
  random: () => Math.random(),
  uuid: () => crypto.randomUUID(),
  sleep(milliseconds, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const abort = () => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort);
        resolve();
      }, milliseconds);
      signal?.addEventListener('abort', abort, { once: true });
    });
  },
};
