import type { EventEmitter } from 'node:events';
import { exitCodes } from './exit-codes.ts';

/** How long a command may take to end by itself after a signal. */
const graceMs = 5_000;

/**
 * Returns a signal that is aborted when the process is asked to end. A second request, or the end of a grace period,
 * ends the process in any case: a call of the system may not return.
 */
export function abortOnSignals(process: EventEmitter, exit: (code: number) => void): AbortSignal {
  const interrupted = new AbortController();
  const end = () => exit(exitCodes.interrupted);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (interrupted.signal.aborted) return end();
      interrupted.abort();
      setTimeout(end, graceMs).unref();
    });
  }
  return interrupted.signal;
}
