import type { EventEmitter } from 'node:events';

/** How long a command may take to end by itself after a signal. */
const graceMs = 5_000;

/**
 * Returns a signal that is aborted when the process is asked to end. A second request, or the end of a grace period,
 * ends the process in any case: a call of the system may not return.
 */
export function abortOnSignals(process: EventEmitter, kill: () => void): AbortSignal {
  const interrupted = new AbortController();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const end = () => {
    for (const signal of signals) process.removeAllListeners(signal);
    kill();
  };
  for (const signal of signals) {
    process.on(signal, () => {
      if (interrupted.signal.aborted) return end();
      interrupted.abort();
      setTimeout(end, graceMs).unref();
    });
  }
  return interrupted.signal;
}
