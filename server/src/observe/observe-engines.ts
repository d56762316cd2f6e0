import type { AuditTargetLease } from '../domain/audit/audit-target-store.ts';
import { toOutage } from '../domain/engine-name.ts';
import type { Engines } from '../domain/engines.ts';
import { ExchangeError } from '../domain/exchange-error.ts';
import { SendFailure } from '../domain/ports/mailer.ts';
import type { Scan, Scanner } from '../domain/ports/scanner.ts';
import type { Store } from '../domain/store.ts';
import type { Metrics } from './metrics.ts';
import type { Outages } from './outages.ts';
import type { Tracing } from './tracing.ts';

export interface Observation {
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly outages?: Outages;
}

type Call = <Result>(operation: string, parameters: readonly unknown[], work: () => Result) => Result;
type OnResult = (operation: string, parameters: readonly unknown[], result: unknown) => void;

/** Wraps the engines so that every call is measured and traced. */
export function observeEngines<Given extends Engines>(engines: Given, observation: Observation): Given {
  const watch = <Port extends object>(port: Port, engine: string, area = '') =>
    observePort(port, recordCallsTo(engine, observation), area);
  return {
    ...engines,
    store: observeStore(engines.store, recordCallsTo('postgres', observation, countOutcomes(observation.metrics))),
    objects: watch(engines.objects, 's3'),
    logObjects: watch(engines.logObjects, 's3', 'log.'),
    masterKeys: watch(engines.masterKeys, 'keys'),
    dayKeys: watch(engines.dayKeys, 'keys', 'dayKeys.'),
    csrfTokens: watch(engines.csrfTokens, 'valkey', 'csrfTokens.'),
    failureLimit: watch(engines.failureLimit, 'valkey', 'failureLimit.'),
    messageLimit: watch(engines.messageLimit, 'valkey', 'messageLimit.'),
    receiverPace: watch(engines.receiverPace, 'valkey', 'receiverPace.'),
    scanner: observeScanner(engines.scanner, observation),
    mailer: watch(engines.mailer, 'smtp'),
    sms: engines.sms && watch(engines.sms, 'sms'),
    webhookSender: watch(engines.webhookSender, 'webhooks'),
  };
}

/** Wraps the methods of a port and of its areas, except those that are given; everything else is passed through. */
export function observePort<Port extends object>(port: Port, call: Call, area = '', given: Partial<Port> = {}): Port {
  const seen = new Map<PropertyKey, unknown>(Object.entries(given));
  const wrapPart = (name: string, part: unknown): unknown => {
    if (typeof part === 'function') {
      return (...parameters: unknown[]) => call(area + name, parameters, () => part.apply(port, parameters) as unknown);
    }
    const isArea = typeof part === 'object' && part !== null && Object.getPrototypeOf(part) === Object.prototype;
    return isArea ? observePort(part, call, `${area}${name}.`) : undefined;
  };
  return new Proxy(port, {
    get(target, name) {
      const part: unknown = Reflect.get(target, name);
      if (typeof name === 'symbol') return part;
      if (!seen.has(name)) seen.set(name, wrapPart(name, part));
      return seen.get(name) ?? part;
    },
  });
}

function observeStore(store: Store, call: Call): Store {
  return observePort(store, call, '', {
    transaction: (work) =>
      call('transaction', [], () => store.transaction((transaction) => work(observeStore(transaction, call)))),
    // Its duration is that of its work, whose calls are observed themselves.
    exclusively: (name, work) => store.exclusively(name, work),
  });
}

/** A scan, as a call that can fail: a verdict says so, and no error. */
export const scanCall = 'clamd scan';

/** Records only the verdict of a scan: its bytes are too many calls to record. */
function observeScanner(scanner: Scanner, observation: Observation): Scanner {
  const call = recordCallsTo('clamd', observation);
  const watch = (scan: Scan): Scan => {
    let verdict: ReturnType<Scan['verdict']> | undefined;
    return {
      write: (bytes) => scan.write(bytes),
      get early() {
        return scan.early;
      },
      verdict: () => (verdict ??= call('verdict', [], () => scan.verdict().then(countVerdict))),
      abandon: () => scan.abandon(),
    };
  };
  const countVerdict = (verdict: Awaited<ReturnType<Scan['verdict']>>) => {
    observation.metrics.scans.inc({ verdict: verdict.result === 'unscanned' ? verdict.why : verdict.result });
    if (verdict.result !== 'unscanned') observation.outages?.callSucceeded(scanCall);
    return verdict;
  };
  return {
    get maxBytes() {
      return scanner.maxBytes;
    },
    begin: (source) => watch(scanner.begin(source)),
  };
}

/** Reads the outcome of a call to the store from its parameters and its result. */
type ReadOutcome<Method> = Method extends (...parameters: infer Parameters) => Promise<infer Result>
  ? (parameters: Parameters, result: Result) => string | undefined
  : never;
type OutcomeReaders<Area extends keyof Store> = {
  readonly [Method in keyof Store[Area]]?: ReadOutcome<Store[Area][Method]>;
};

const messageOutcomes: OutcomeReaders<'outbox'> = {
  settle: ([, , state]) => state,
  retry: () => 'retried',
  postpone: () => 'postponed',
  abandon: (_parameters, message) => message && 'returned',
};
const webhookOutcomes: OutcomeReaders<'webhookDeliveries'> = {
  record: ([, , , result]) => (typeof result === 'string' ? result : 'retried'),
};

type CountOutcome = (parameters: readonly unknown[], result: unknown) => void;

/** Counts messages and requests to webhooks by their outcomes, which are known once they are recorded. */
function countOutcomes({ messages, webhookAttempts, auditFailures }: Metrics): OnResult {
  const counters = new Map<string, CountOutcome>([
    ...listCounters('outbox', messageOutcomes, messages),
    ...listCounters('webhookDeliveries', webhookOutcomes, webhookAttempts),
    ['auditTargets.fail', ([lease]) => auditFailures.inc({ target: (lease as AuditTargetLease).name })],
  ]);
  return (operation, parameters, result) => counters.get(operation)?.(parameters, result);
}

function listCounters<Area extends keyof Store>(
  area: Area,
  readers: OutcomeReaders<Area>,
  metric: { inc(labels: { outcome: string }): void },
) {
  return Object.entries(readers).map(([method, reader]) => {
    const read = reader as (parameters: readonly unknown[], result: unknown) => string | undefined;
    const count: CountOutcome = (parameters, result) => {
      const outcome = read(parameters, result);
      if (outcome !== undefined) metric.inc({ outcome });
    };
    return [`${area}.${method}`, count] as const;
  });
}

function recordCallsTo(engine: string, { metrics, tracing, outages }: Observation, onResult?: OnResult): Call {
  return (operation, parameters, work) => {
    const name = `${engine} ${operation}`;
    const begin = performance.now();
    const recordDuration = () => metrics.callSeconds.observe({ engine, operation }, (performance.now() - begin) / 1000);
    return tracing.step(name, { 'waybill.engine': engine, 'waybill.operation': operation }, () => {
      const result = work();
      if (!(result instanceof Promise)) return result;
      return result.then(
        (value: unknown) => {
          recordDuration();
          onResult?.(operation, parameters, value);
          outages?.callSucceeded(name);
          if (isWatchedByItsCalls(engine)) outages?.responded(engine);
          return value;
        },
        (error: unknown) => {
          recordDuration();
          if (isFault(error, parameters)) {
            metrics.callFailures.inc({ engine, operation });
            reportOutage(error, outages, isWatchedByItsCalls(engine) ? undefined : name);
          }
          throw error;
        },
      ) as typeof result;
    });
  };
}

/** The others are checked every few seconds; a check of these would be seen by the people who run them. */
function isWatchedByItsCalls(engine: string): boolean {
  return engine === 'smtp' || engine === 'sms';
}

function reportOutage(error: unknown, outages: Outages | undefined, call: string | undefined): void {
  if (error instanceof SendFailure && error.engine !== undefined) outages?.failed(error.engine, error.reason, call);
  const { engine, reason } = toOutage(error) ?? {};
  if (engine !== undefined && reason !== undefined) outages?.failed(engine, reason, call);
}

/** A refusal is no fault, and neither is a call that its caller abandoned. */
function isFault(error: unknown, parameters: readonly unknown[]): boolean {
  if (parameters.some((parameter) => parameter instanceof AbortSignal && parameter.aborted)) return false;
  return !(error instanceof ExchangeError) || ['unavailable', 'damaged', 'internal'].includes(error.code);
}
