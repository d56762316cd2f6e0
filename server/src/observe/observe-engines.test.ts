import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Engines } from '../domain/engines.ts';
import { ExchangeError } from '../domain/exchange-error.ts';
import type { Verdict } from '../domain/ports/scanner.ts';
import type { Store } from '../domain/store.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { observeEngines, observePort, scanCall } from './observe-engines.ts';
import { Outages } from './outages.ts';
import { noTracing } from './tracing.ts';

const freshMetrics = () => createMetrics({ role: 'test', version: '0' });

/** The value of one sample, or undefined if there is none. */
async function sample(metrics: Metrics, name: string, labels: Record<string, string>): Promise<number | undefined> {
  const found = (await metrics.registry.getMetricsAsJSON()).flatMap(({ name: metric, values }) =>
    (values as { metricName?: string; labels: Record<string, unknown>; value: number }[]).filter(
      (value) =>
        (value.metricName ?? metric) === name &&
        Object.entries(labels).every(([label, wanted]) => value.labels[label] === wanted),
    ),
  );
  return found[0]?.value;
}

class Counting {
  #count = 0;
  get count() {
    return this.#count;
  }
  async add(by: number) {
    this.#count += by;
    return this.#count;
  }
}

test('a port keeps its state, its values and its areas, and every method is reported with its name', async () => {
  const calls: string[] = [];
  const port = { counting: new Counting(), area: { ask: async () => 'answer' }, size: 3, now: () => 'at once' };
  const seen = observePort(port, (operation, _parameters, work) => {
    calls.push(operation);
    return work();
  });
  expect(await seen.counting.add(2)).toBe(2);
  expect([seen.counting.count, seen.size, seen.now(), await seen.area.ask()]).toEqual([2, 3, 'at once', 'answer']);
  expect(await observePort(seen.counting, (_operation, _parameters, work) => work()).add(1)).toBe(3);
  expect(calls).toEqual(['now', 'area.ask']);
});

/** Engines of which only what a test gives exists. */
function engines(parts: Partial<Record<keyof Engines, unknown>>, metrics: Metrics, outages?: Outages): Engines {
  const keys = { masterKeys: {}, dayKeys: {} };
  const none = {
    store: {},
    objects: {},
    logObjects: {},
    ...keys,
    csrfTokens: {},
    failureLimit: {},
    messageLimit: {},
    scanner: {},
  };
  const all = { ...none, receiverPace: {}, mailer: {}, sms: undefined, webhookSender: {}, ...parts };
  return observeEngines(all as unknown as Engines, { metrics, tracing: noTracing, ...(outages && { outages }) });
}

test('a fault of an engine counts as a failure; a refusal and a call that was abandoned do not', async () => {
  const metrics = freshMetrics();
  const gone = new AbortController();
  const { objects } = engines(
    {
      objects: {
        read: async (_key: string, _part: object, signal: AbortSignal) => {
          signal.throwIfAborted();
          throw new ExchangeError('unavailable');
        },
        delete: async () => {
          throw new ExchangeError('not_found');
        },
      },
    },
    metrics,
  );
  const read = () => objects.read('key', { offset: 0, length: 1 }, gone.signal);
  await expect(read()).rejects.toThrow(ExchangeError);
  gone.abort(new Error('the client is gone'));
  await expect(read()).rejects.toThrow('the client is gone');
  await expect(objects.delete([])).rejects.toThrow(ExchangeError);
  const of = (operation: string) => ({ engine: 's3', operation });
  expect(await sample(metrics, 'waybill_engine_failures_total', of('read'))).toBe(1);
  expect(await sample(metrics, 'waybill_engine_failures_total', of('delete'))).toBeUndefined();
  expect(await sample(metrics, 'waybill_engine_call_duration_seconds_count', of('read'))).toBe(2);
});

/** Keeps the texts of the lines about outages. */
function followOutages() {
  const lines: unknown[] = [];
  let nowMs = 0;
  const outages = new Outages({}, () => nowMs);
  outages.writeTo(pino({}, { write: (line: string) => void lines.push((JSON.parse(line) as { msg: unknown }).msg) }));
  return { outages, pass: (seconds: number) => (nowMs += seconds * 1000), read: () => lines.splice(0) };
}

test('an outage of an engine that responds, and fails to write, ends with a write that succeeds', async () => {
  const { outages, pass, read } = followOutages();
  let isFull = true;
  const put = async () => {
    if (isFull) throw new ExchangeError('unavailable', undefined, { engine: 's3', cause: new Error('no space left') });
  };
  const { objects } = engines({ objects: { put, read: async () => Buffer.alloc(0) } }, freshMetrics(), outages);
  /** The events of a minute: a call, others that succeed, and checks. */
  const passMinute = async (call: () => Promise<unknown>) => {
    await call();
    await objects.read('key', { offset: 0, length: 1 }, undefined as never);
    pass(60);
    outages.responded('s3');
    return read();
  };
  const fail = () => expect(objects.put('key', [], undefined as never)).rejects.toThrow(ExchangeError);
  expect(await passMinute(fail)).toEqual(['an engine is unavailable']);
  expect(await passMinute(fail)).toEqual([]);
  isFull = false;
  const over = ['an engine is available again'];
  expect(await passMinute(() => objects.put('key', [], undefined as never))).toEqual(over);
  // Nothing is written any more, so nothing can show that it works.
  isFull = true;
  expect(await passMinute(fail)).toEqual(['an engine is unavailable']);
  pass(4 * 60);
  expect(await passMinute(async () => undefined)).toEqual(over);
  // The engine itself was away: that it responds again is the end of it.
  await fail();
  outages.failed('s3', 'connect ECONNREFUSED');
  await fail();
  expect((await passMinute(async () => undefined)).slice(-1)).toEqual(over);
});

test('an outage of a clamd that responds, and fails to scan, ends with a file that it scanned', async () => {
  const verdicts: Verdict[] = [{ result: 'unscanned', why: 'unavailable' }, { result: 'clean' }];
  const { outages, pass, read } = followOutages();
  const begin = () => ({ verdict: async () => verdicts.shift(), early: undefined });
  const { scanner } = engines({ scanner: { maxBytes: 7, begin } }, freshMetrics(), outages);
  const scan = async () => {
    await scanner.begin('stored').verdict();
    pass(60);
    outages.responded('clamd');
    return read();
  };
  outages.failed('clamd', 'no verdict within 60000 ms', scanCall);
  expect(await scan()).toEqual(['an engine is unavailable']);
  expect(await scan()).toEqual(['an engine is available again']);
});

test('calls in a transaction are observed too, and what becomes of messages is counted', async () => {
  const metrics = freshMetrics();
  const outbox = { settle: async () => undefined, retry: async () => undefined, abandon: async () => undefined };
  const inner = { outbox } as unknown as Store;
  const { store } = engines(
    { store: { outbox, transaction: (work: (tx: Store) => Promise<unknown>) => work(inner) } },
    metrics,
  );
  await store.transaction((tx) => tx.outbox.settle('account', 'message', 'sent', '250 ok'));
  await store.outbox.settle('account', 'message', 'abandoned', '550 no');
  // The message had been abandoned already.
  await store.outbox.abandon('account', 'message', 'returned');
  const calls = { engine: 'postgres', operation: 'outbox.settle' };
  expect(await sample(metrics, 'waybill_engine_call_duration_seconds_count', calls)).toBe(2);
  const outcomes = ['sent', 'abandoned', 'returned'].map((outcome) =>
    sample(metrics, 'waybill_messages_total', { outcome }),
  );
  expect(await Promise.all(outcomes)).toEqual([1, 1, 0]);
});

test('a request to a webhook counts by what follows from it', async () => {
  const metrics = freshMetrics();
  const { store } = engines({ store: { webhookDeliveries: { record: async () => 0 } } }, metrics);
  const attempt = { id: '', eventId: '', type: '', attempt: 1, status: 500, failure: null, durationMs: 1 };
  for (const result of ['delivered', 'abandoned', { retrySeconds: 5, pauseSeconds: null }] as const) {
    await store.webhookDeliveries.record('account', 'webhook', attempt, result);
  }
  const outcomes = ['delivered', 'retried', 'abandoned'].map((outcome) =>
    sample(metrics, 'waybill_webhook_attempts_total', { outcome }),
  );
  expect(await Promise.all(outcomes)).toEqual([1, 1, 1]);
});

test('a scan counts once, by its verdict', async () => {
  const metrics = freshMetrics();
  const verdicts: Verdict[] = [
    { result: 'infected', signature: 'Eicar' },
    { result: 'unscanned', why: 'encrypted' },
  ];
  const { scanner } = engines(
    { scanner: { maxBytes: 7, begin: () => ({ verdict: async () => verdicts.shift(), early: undefined }) } },
    metrics,
  );
  const first = scanner.begin('arriving');
  expect([await first.verdict(), await first.verdict()]).toMatchObject([
    { result: 'infected' },
    { result: 'infected' },
  ]);
  await scanner.begin('stored').verdict();
  expect(scanner.maxBytes).toBe(7);
  const counts = ['infected', 'encrypted', 'Eicar'].map((verdict) =>
    sample(metrics, 'waybill_scans_total', { verdict }),
  );
  expect(await Promise.all(counts)).toEqual([1, 1, undefined]);
});

test('a batch of the audit that a target did not take counts by the target', async () => {
  const metrics = freshMetrics();
  const auditTargets = { fail: async () => true };
  const { store } = engines({ store: { auditTargets } }, metrics);
  await store.auditTargets.fail({ name: 'https', fence: 1 }, { reason: 'The response was 500', remedy: '' }, 30);
  expect(await sample(metrics, 'waybill_audit_failures_total', { target: 'https' })).toBe(1);
  expect(await sample(metrics, 'waybill_audit_failures_total', { target: 'syslog' })).toBe(0);
});
