import { describeCauses } from '../../domain/engine-name.ts';
import { SetupError } from '../../domain/setup-error.ts';

export type EngineState = 'not checked yet' | 'ok' | 'slow' | 'out of reach' | 'set up wrongly';

const isUp: Readonly<Record<EngineState, boolean | undefined>> = {
  'not checked yet': undefined,
  ok: true,
  slow: true,
  'out of reach': false,
  'set up wrongly': false,
};

/**
 * Checks by the name of their engine. A check throws if the engine does not respond, and a SetupError if its response
 * shows a wrong setting.
 */
export type EngineChecks = Readonly<Record<string, () => Promise<void>>>;

/** The findings about an engine, as often as each is found. */
export interface EngineReport {
  failed(engine: string, reason: string): void;
  slow(engine: string): void;
  responded(engine: string): void;
}

export interface WatchOptions {
  readonly report: EngineReport;
  readonly everyMs?: number;
  readonly deadlineMs?: number;
  readonly slowMs?: number;
}

export interface EngineWatch {
  states(): Readonly<Record<string, EngineState>>;
  /** Whether each engine responded as it should; undefined if it was not checked yet. */
  areUp(): Readonly<Record<string, boolean | undefined>>;
  stop(): void;
}

/**
 * Checks every engine regularly, so that a load balancer gets its response from memory at once, however slow an engine
 * is.
 */
export function watchEngines(checks: EngineChecks, options: WatchOptions): EngineWatch {
  const { report, everyMs = 5_000, deadlineMs = 2_000, slowMs = 500 } = options;
  const states: Record<string, EngineState> = Object.fromEntries(
    Object.keys(checks).map((engine) => [engine, 'not checked yet']),
  );
  const checking = new Set<string>();

  const look = async (engine: string, check: () => Promise<void>) => {
    // A check that exceeded its deadline may still be waiting; a second one never runs beside it.
    if (checking.has(engine)) return;
    checking.add(engine);
    const begin = performance.now();
    const running = check().finally(() => checking.delete(engine));
    try {
      await withDeadline(running, deadlineMs);
      const isSlow = performance.now() - begin > slowMs;
      states[engine] = isSlow ? 'slow' : 'ok';
      if (isSlow) report.slow(engine);
      report.responded(engine);
    } catch (error) {
      states[engine] = error instanceof SetupError ? 'set up wrongly' : 'out of reach';
      report.failed(engine, toReason(error));
    }
  };
  const lookAtAll = () => {
    for (const [engine, check] of Object.entries(checks)) void look(engine, check);
  };
  lookAtAll();
  const timer = setInterval(lookAtAll, everyMs).unref();
  return {
    states: () => states,
    areUp: () => Object.fromEntries(Object.entries(states).map(([engine, state]) => [engine, isUp[state]])),
    stop: () => clearInterval(timer),
  };
}

/** Stops waiting after this time; the work continues, and its result is ignored. */
export async function withDeadline<Result>(work: Promise<Result>, deadlineMs: number): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no response within ${deadlineMs} ms`)), deadlineMs);
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Describes an error for the log: if it was translated, by the words of the engine itself. */
export function toReason(error: unknown): string {
  if (error instanceof SetupError) return error.message;
  return describeCauses(error) ?? String(error);
}
