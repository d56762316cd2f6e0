import { expect, test } from 'vitest';
import { ExchangeError } from '../domain/exchange-error.ts';
import { SetupError } from '../domain/setup-error.ts';
import { type StartUpOptions, waitForEngines } from './wait-for-engines.ts';

function options(): StartUpOptions & { said: string[][] } {
  const said: string[][] = [];
  const failed = (...words: string[]) => void said.push(words);
  return { failed, said, patienceMs: 500, pauseMs: 10, checkMs: 100 };
}
const away = () => new ExchangeError('unavailable', undefined, { cause: new Error('connect ECONNREFUSED') });
const fine = async () => undefined;

test('a PostgreSQL that is away is waited for', async () => {
  let attempts = 0;
  const given = options();
  await waitForEngines(
    {
      async migrate() {
        attempts += 1;
        if (attempts < 3) throw away();
      },
      checkPepper: fine,
      checks: { postgres: fine },
    },
    given,
  );
  expect(attempts).toBe(3);
  const failed = ['postgres', 'connect ECONNREFUSED'];
  expect(given.said).toEqual([failed, failed]);
});

test('not forever: then the process ends and says which engine and which setting', async () => {
  const starting = waitForEngines({ migrate: () => Promise.reject(away()), checkPepper: fine, checks: {} }, options());
  await expect(starting).rejects.toThrow(
    'PostgreSQL is out of reach (connect ECONNREFUSED). Start it, or correct WAYBILL_DATABASE_URL.',
  );
});

test('an object store without which no schema can be created is waited for, and named', async () => {
  const cause = new Error('connect ECONNREFUSED');
  const error = new ExchangeError('unavailable', undefined, { cause, engine: 's3' });
  const given = options();
  const starting = waitForEngines({ migrate: () => Promise.reject(error), checkPepper: fine, checks: {} }, given);
  await expect(starting).rejects.toBe(error);
  expect(given.said[0]).toEqual(['s3', 'connect ECONNREFUSED']);
});

test('what a PostgreSQL that responds refuses ends the process at once', async () => {
  const starting = waitForEngines(
    { migrate: () => Promise.reject(new Error('password authentication failed')), checkPepper: fine, checks: {} },
    { ...options(), patienceMs: 600_000 },
  );
  await expect(starting).rejects.toThrow('password authentication failed');
});

test('another engine that is away, or silent, does not stop the start', async () => {
  const given = options();
  const checks = { s3: () => Promise.reject(away()), valkey: () => new Promise<void>(() => undefined) };
  await waitForEngines({ migrate: fine, checkPepper: fine, checks }, given);
  expect(given.said).toEqual([
    ['s3', 'connect ECONNREFUSED'],
    ['valkey', 'no response within 100 ms'],
  ]);
});

test('one that shows a wrong setting does', async () => {
  const checks = { s3: () => Promise.reject(new SetupError('S3: there is no bucket "x".')), valkey: fine };
  await expect(waitForEngines({ migrate: fine, checkPepper: fine, checks }, options())).rejects.toThrow(
    'there is no bucket "x"',
  );
});
