import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLog } from '../../../test/silent-log.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { SetupError } from '../../domain/setup-error.ts';
import { buildProbes, type ProcessStatus } from './server.ts';
import { type EngineChecks, watchEngines } from './watch-engines.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function watched(checks: EngineChecks) {
  const said: string[][] = [];
  const say =
    (what: string) =>
    (...words: string[]) =>
      void said.push([what, ...words]);
  const report = { failed: say('failed'), slow: say('slow'), responded: say('responded') };
  return { said, watch: watchEngines(checks, { report, everyMs: 5_000, deadlineMs: 2_000, slowMs: 500 }) };
}
const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

test('every engine has its own state, which is known without waiting', async () => {
  const { watch } = watched({
    postgres: async () => undefined,
    valkey: () => after(800),
    s3: () => Promise.reject(new Error('refused')),
    frozen: () => new Promise(() => undefined),
    masterKeys: () => Promise.reject(new SetupError('The master key of version 1 does not open what is stored.')),
  });
  expect(new Set(Object.values(watch.states()))).toEqual(new Set(['not checked yet']));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(watch.states()).toEqual({
    postgres: 'ok',
    valkey: 'slow',
    s3: 'out of reach',
    frozen: 'out of reach',
    masterKeys: 'set up wrongly',
  });
  watch.stop();
});

test('what every check shows is reported, with the reason', async () => {
  let fault: Error | undefined;
  const { watch, said } = watched({
    s3: async () => {
      if (fault) throw fault;
    },
    valkey: () => after(800),
  });
  await vi.advanceTimersByTimeAsync(1_000);
  fault = new ExchangeError('unavailable', undefined, { cause: new Error('connect ECONNREFUSED') });
  await vi.advanceTimersByTimeAsync(4_100);
  expect(said).toEqual([
    ['responded', 's3'],
    ['slow', 'valkey'],
    ['responded', 'valkey'],
    ['failed', 's3', 'connect ECONNREFUSED'],
  ]);
  watch.stop();
});

test('an engine that does not respond is checked once at a time', async () => {
  const check = vi.fn(() => new Promise<void>(() => undefined));
  const { watch } = watched({ s3: check });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(check).toHaveBeenCalledOnce();
  watch.stop();
});

test('a process is ready from its start until it stops, whatever its engines do', async () => {
  let status: ProcessStatus = 'starting';
  const app = buildProbes({
    allowedHosts: [],
    log: silentLog,
    status: () => status,
    engines: () => ({ postgres: 'out of reach', s3: 'ok' }),
    metrics: { contentType: 'text/plain', metrics: async () => 'waybill_build_info 1\n' },
  });
  const engines = { postgres: 'out of reach', s3: 'ok' };
  const starting = await app.inject('/readyz');
  expect([starting.statusCode, starting.json()]).toEqual([503, { status: 'starting', engines }]);
  expect((await app.inject('/healthz')).statusCode).toBe(200);
  status = 'ok';
  const ready = await app.inject('/readyz');
  expect([ready.statusCode, ready.json()]).toEqual([200, { status: 'ok', engines }]);
  status = 'stopping';
  const stopped = await app.inject('/readyz');
  expect([stopped.statusCode, stopped.json()]).toEqual([503, { status: 'stopping', engines }]);
  expect((await app.inject('/healthz')).statusCode).toBe(200);
  expect((await app.inject('/metrics')).body).toBe('waybill_build_info 1\n');
  await app.close();
});
