import { pino } from 'pino';
import { expect, test } from 'vitest';
import { ExchangeError } from '../domain/exchange-error.ts';
import { Outages } from './outages.ts';

function setUp() {
  const lines: Record<string, unknown>[] = [];
  let nowMs = 0;
  const outages = new Outages({ postgres: 'db.test:5432/waybill', clamd: '/run/clamd.sock' }, () => nowMs);
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  const log = pino({ base: null, timestamp: false, hooks: outages.hooks }, destination);
  outages.writeTo(log);
  return { outages, log, read: () => lines.splice(0), pass: (seconds: number) => (nowMs += seconds * 1000) };
}

const refused = () => new Error('connect ECONNREFUSED 127.0.0.1:5432');
const away = (cause: Error = refused()) => new ExchangeError('unavailable', undefined, { cause, engine: 'postgres' });
const toReason = ({ reason }: Record<string, unknown>) => reason;
const postgres = { engine: 'postgres', address: 'db.test:5432/waybill' };

test('an engine that is away for 40 seconds is named once for each reason, and once more when it is back', () => {
  const { outages, log, read, pass } = setUp();
  for (let second = 0; second < 40; second += 1) {
    pass(1);
    const reason = second === 0 ? 'terminating connection' : 'connect ECONNREFUSED';
    outages.failed('postgres', reason);
    outages.loopFailed('sequencer', 'the evidence log was not continued', away());
    for (let request = 0; request < 5; request += 1) {
      log.child({ reqId: request }).warn({ code: 'unavailable', err: away() }, 'a request could not be served');
    }
  }
  const reason = 'connect ECONNREFUSED 127.0.0.1:5432';
  expect(read()).toEqual([
    { level: 40, ...postgres, reason: 'terminating connection', msg: 'an engine is unavailable' },
    { level: 40, loop: 'sequencer', ...postgres, reason, msg: 'the evidence log was not continued' },
    { level: 40, reqId: 0, code: 'unavailable', ...postgres, reason, msg: 'a request could not be served' },
    { level: 40, ...postgres, reason: 'connect ECONNREFUSED', msg: 'an engine is unavailable' },
  ]);
  // A single call that succeeds does not yet end it.
  outages.responded('postgres');
  expect(read()).toEqual([]);
  pass(6);
  outages.responded('postgres');
  outages.responded('postgres');
  outages.loopSucceeded('sequencer');
  expect(read()).toEqual([
    { level: 30, ...postgres, seconds: 39, failures: 40, msg: 'an engine is available again' },
    { level: 30, loop: 'sequencer', seconds: 39, failures: 40, msg: 'a loop works again' },
  ]);
});

test('an outage that lasts is written again every five minutes, with the number of lines that were left out', () => {
  const { outages, read, pass } = setUp();
  for (let second = 0; second < 601; second += 1) {
    outages.failed('postgres', 'connect ECONNREFUSED');
    pass(1);
  }
  expect(read().map(({ repeated }) => repeated)).toEqual([undefined, 299, 299]);
});

test('the next outage is written at once', () => {
  const { outages, read, pass } = setUp();
  for (let outage = 0; outage < 2; outage += 1) {
    outages.failed('postgres', 'connect ECONNREFUSED');
    pass(70);
    outages.responded('postgres');
  }
  expect(read().map(({ msg }) => msg)).toEqual([
    'an engine is unavailable',
    'an engine is available again',
    'an engine is unavailable',
    'an engine is available again',
  ]);
});

test('the next outage is counted anew, and what fails because of it is written too', () => {
  const { outages, log, read, pass } = setUp();
  for (let outage = 0; outage < 2; outage += 1) {
    for (let request = 0; request < 15; request += 1) {
      outages.failed('postgres', 'connect ECONNREFUSED');
      log.warn({ err: away() }, 'a request could not be served');
    }
    pass(70);
    outages.responded('postgres');
  }
  const each = [
    { msg: 'an engine is unavailable' },
    { msg: 'a request could not be served' },
    { msg: 'an engine is available again' },
  ];
  const lines = read();
  expect(lines).toMatchObject([...each, ...each]);
  expect(lines.filter((line) => 'repeated' in line)).toEqual([]);
});

test('an engine that fails and responds in turns fills no log', () => {
  const { outages, read, pass } = setUp();
  for (let turn = 0; turn < 600; turn += 1) {
    outages.failed('postgres', `no response within ${turn} ms`);
    pass(6);
    outages.responded('postgres');
  }
  // An hour.
  expect(read().length).toBeLessThan(250);
});

test('reasons that all differ are not all written', () => {
  const { outages, read, pass } = setUp();
  for (let call = 0; call < 100; call += 1) {
    outages.failed('postgres', `request ${call} failed`);
    pass(1);
  }
  expect(read().length).toBe(8);
});

test('the text for callers of the API is no reason: the engine’s last one is', () => {
  const { outages, log, read } = setUp();
  outages.failed('clamd', 'connect ENOENT');
  read();
  log.warn({ err: new ExchangeError('unavailable', undefined, { engine: 'clamd' }) }, 'a request could not be served');
  log.error({ err: new ExchangeError('unavailable', 'All places are taken.') }, 'a request could not be served');
  expect(read()).toEqual([
    {
      level: 40,
      engine: 'clamd',
      address: '/run/clamd.sock',
      reason: 'connect ENOENT',
      msg: 'a request could not be served',
    },
    { level: 50, reason: 'All places are taken.', msg: 'a request could not be served' },
  ]);
});

test('the causes of a cause are named, each once', () => {
  const { log, read } = setUp();
  const cause = new Error('PostgreSQL did not take a new connection', {
    cause: new Error('timeout', { cause: refused() }),
  });
  log.warn({ err: away(cause) }, 'a request could not be served');
  expect(read().map(toReason)).toEqual([
    'PostgreSQL did not take a new connection: timeout: connect ECONNREFUSED 127.0.0.1:5432',
  ]);
});

test('any other error is written in full, each time; of a loop, once', () => {
  const { outages, log, read } = setUp();
  for (let time = 0; time < 2; time += 1) {
    log.error({ err: new TypeError('x is undefined') }, 'a request failed on a fault of ours');
    outages.loopFailed('sweep', 'a sweep failed', new TypeError('y is undefined'));
    log.info({ engine: 'smtp' }, 'a message was sent');
    log.info('without fields');
  }
  const failed = { level: 50, err: { type: 'TypeError', stack: expect.stringContaining('outages.test') } };
  const others = [{ engine: 'smtp' }, { msg: 'without fields' }];
  expect(read()).toMatchObject([
    failed,
    { level: 40, loop: 'sweep', err: { message: 'y is undefined' }, msg: 'a sweep failed' },
    ...others,
    failed,
    ...others,
  ]);
});
