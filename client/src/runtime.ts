/** The clock and the random numbers of the client. Tests bring their own. */
export interface Runtime {
  /** Milliseconds since 1970. */
  now(): number;
  /** Waits. Rejects with the signal's reason when that is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** From 0 up to, not including, 1. */
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
