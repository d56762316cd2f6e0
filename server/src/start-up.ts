import type { Logger } from 'pino';
import { ExchangeError } from './domain/exchange-error.ts';
import { SetupError } from './domain/setup-error.ts';
import { type EngineChecks, reasonOf, withDeadline } from './http/console/watch-engines.ts';

export interface StartUpOptions {
  readonly log: Logger;
  /** How long PostgreSQL may be out of reach before the process gives up. */
  readonly patienceMs?: number;
  readonly pauseMs?: number;
  readonly checkMs?: number;
}

/**
 * What has to be true before a process serves or works.
 *
 * Without PostgreSQL nothing works, not even knowing whether the schema fits, so a process waits for it, for a bounded
 * time: after a power failure everything starts at once. An object store or a Valkey that is merely away does not stop
 * the start: what needs it answers 503, and works as soon as it is back. But an engine that answers, and whose answer
 * shows a wrong setting, is a mistake that somebody should see now and not at the first upload.
 */
export async function startUp(
  engines: { migrate(): Promise<unknown>; readonly checks: EngineChecks },
  { log, patienceMs = 60_000, pauseMs = 1_000, checkMs = 5_000 }: StartUpOptions,
): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  for (let migrated = false; !migrated; ) {
    try {
      await engines.migrate();
      migrated = true;
    } catch (error) {
      if (!(error instanceof ExchangeError) || error.code !== 'unavailable') throw error;
      if (performance.now() + pauseMs > giveUpAt) {
        throw new Error(`PostgreSQL is out of reach (${reasonOf(error)}). Start it, or correct WAYBILL_DATABASE_URL.`, {
          cause: error,
        });
      }
      log.warn({ engine: 'postgres', reason: reasonOf(error) }, 'waiting for an engine');
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  await Promise.all(
    Object.entries(engines.checks).map(async ([engine, check]) => {
      try {
        await withDeadline(check(), checkMs);
      } catch (error) {
        if (error instanceof SetupError) throw error;
        log.warn({ engine, reason: reasonOf(error) }, 'starting without an engine that is out of reach');
      }
    }),
  );
}
