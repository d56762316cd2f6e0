import type { Engines } from '../domain/engines.ts';
import { ExchangeError } from '../domain/exchange-error.ts';
import type { Scan, Scanner } from '../domain/ports/scanner.ts';
import type { Store } from '../domain/store.ts';
import type { Metrics } from './metrics.ts';
import type { Tracing } from './tracing.ts';

export interface Observation {
  readonly metrics: Metrics;
  readonly tracing: Tracing;
}

type Call = <Result>(operation: string, parameters: readonly unknown[], work: () => Result) => Result;
type OnResult = (operation: string, parameters: readonly unknown[], result: unknown) => void;

/** Engines whose calls are measured and traced. They do the same as before, and do not know of it. */
export function observeEngines<Given extends Engines>(engines: Given, observation: Observation): Given {
  const watch = <Port extends object>(port: Port, engine: string, area = '') =>
    observePort(port, recordCallsTo(engine, observation), area);
  return {
    ...engines,
    store: observeStore(engines.store, recordCallsTo('postgres', observation, countOutcomes(observation.metrics))),
    objects: watch(engines.objects, 's3'),
    keys: watch(engines.keys, 'keys'),
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

/** Any port: its methods, and those of the areas that it consists of. What is not a method is passed through. */
export function observePort<Port extends object>(port: Port, call: Call, area = ''): Port {
  const seen = new Map<PropertyKey, unknown>();
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
  return {
    ...observePort(store, call),
    transaction: (work) =>
      call('transaction', [], () => store.transaction((transaction) => work(observeStore(transaction, call)))),
    // It takes as long as its work, whose calls are observed.
    exclusively: (name, work) => store.exclusively(name, work),
  };
}

/** The bytes of a scan pass one by one; only its end is worth a line. */
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
    return verdict;
  };
  return {
    get maxBytes() {
      return scanner.maxBytes;
    },
    begin: (source) => watch(scanner.begin(source)),
  };
}

/** What became of a message or a request to a webhook is known from what is recorded about it. */
function countOutcomes({ messages, webhookAttempts }: Metrics): OnResult {
  const outcomes: Readonly<Record<string, (parameters: readonly unknown[], result: unknown) => unknown>> = {
    'outbox.settle': ([, , state]) => state,
    'outbox.retry': () => 'retried',
    'outbox.postpone': () => 'postponed',
    'outbox.abandon': (_parameters, message) => message && 'returned',
  };
  return (operation, parameters, result) => {
    const outcome = outcomes[operation]?.(parameters, result);
    if (typeof outcome === 'string') messages.inc({ outcome });
    if (operation !== 'webhookDeliveries.record') return;
    const [, , , recorded] = parameters;
    webhookAttempts.inc({ outcome: typeof recorded === 'string' ? recorded : 'retried' });
  };
}

function recordCallsTo(engine: string, { metrics, tracing }: Observation, onResult?: OnResult): Call {
  return (operation, parameters, work) => {
    const begin = performance.now();
    const recordDuration = () => metrics.callSeconds.observe({ engine, operation }, (performance.now() - begin) / 1000);
    return tracing.step(`${engine} ${operation}`, { 'waybill.engine': engine, 'waybill.operation': operation }, () => {
      const result = work();
      if (!(result instanceof Promise)) return result;
      return result.then(
        (value: unknown) => {
          recordDuration();
          onResult?.(operation, parameters, value);
          return value;
        },
        (error: unknown) => {
          recordDuration();
          if (isFault(error, parameters)) metrics.callFailures.inc({ engine, operation });
          throw error;
        },
      ) as typeof result;
    });
  };
}

/** Neither a refusal, which is an answer too, nor a call that its caller gave up. */
function isFault(error: unknown, parameters: readonly unknown[]): boolean {
  if (parameters.some((parameter) => parameter instanceof AbortSignal && parameter.aborted)) return false;
  return !(error instanceof ExchangeError) || ['unavailable', 'damaged', 'internal'].includes(error.code);
}
