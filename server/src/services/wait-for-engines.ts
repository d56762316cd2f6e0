import { ExchangeError } from '../domain/exchange-error.ts';
import { SetupError } from '../domain/setup-error.ts';
import { type EngineChecks, toReason, withDeadline } from '../http/probes/watch-engines.ts';

export interface StartUpOptions {
  readonly failed: (engine: string, reason: string) => void;
  /** How long an engine without which the schema cannot be checked may be unavailable before the process exits. */
  readonly patienceMs?: number;
  readonly pauseMs?: number;
  readonly checkMs?: number;
}

/** Names PostgreSQL and its setting, unless the error is about another engine. */
export function throwDatabaseUnreachable(error: unknown): never {
  if (!(error instanceof ExchangeError) || error.code !== 'unavailable') throw error;
  if ((error.engine ?? 'postgres') !== 'postgres') throw error;
  throw new Error(`PostgreSQL is out of reach (${toReason(error)}). Start it, or correct WAYBILL_DATABASE_URL.`, {
    cause: error,
  });
}

/**
 * Conditions for a process to serve or work.
 *
 * Without PostgreSQL nothing works, not even checking whether the schema fits, so a process waits for it for a limited
 * time: after a power failure everything starts at once. It waits for the object store too if the database is empty,
 * because it creates no schema beside a bucket that is in use. Otherwise, an object store or a Valkey that is merely
 * unavailable does not stop the start: requests that need it return 503, and work as soon as it is back. But if an
 * engine's response shows a wrong setting, that is a mistake that the administrator should see now and not at the first
 * upload.
 */
export async function waitForEngines(
  engines: { migrate(): Promise<unknown>; checkPepper(): Promise<void>; readonly checks: EngineChecks },
  { failed, patienceMs = 60_000, pauseMs = 1_000, checkMs = 5_000 }: StartUpOptions,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (let migrated = false; !migrated; ) {
    try {
      await engines.migrate();
      await engines.checkPepper();
      migrated = true;
    } catch (error) {
      if (!(error instanceof ExchangeError) || error.code !== 'unavailable') throw error;
      if (performance.now() + pauseMs > deadline) throwDatabaseUnreachable(error);
      failed(error.engine ?? 'postgres', toReason(error));
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  await Promise.all(
    Object.entries(engines.checks).map(async ([engine, check]) => {
      try {
        await withDeadline(check(), checkMs);
      } catch (error) {
        if (error instanceof SetupError) throw error;
        failed(engine, toReason(error));
      }
    }),
  );
}
