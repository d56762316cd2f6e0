import { randomUUID } from 'node:crypto';
import { fc, test as propertyTest } from '@fast-check/vitest';
import { limits } from '@waybill/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  AttemptLimit,
  CsrfTokens,
  FailureLimit,
  MessageLimit,
  ReceiverPace,
} from '../../src/domain/ports/limits.ts';

/** Two processes that share what they count. */
export type Pair<Engine> = readonly [here: Engine, elsewhere: Engine];

export interface LimitsUnderTest extends AsyncDisposable {
  readonly csrfTokens: Pair<CsrfTokens>;
  readonly failureLimit: Pair<FailureLimit>;
  readonly attemptLimit: Pair<AttemptLimit>;
  readonly messageLimit: Pair<MessageLimit>;
  readonly receiverPace: Pair<ReceiverPace>;
  /** Makes everything this much older that is recorded about an account or an address. */
  elapse(subject: string, seconds: number): Promise<void> | void;
}

/** The settings that the contract expects. */
export const contractSettings = {
  csrfTokens: { lifetimeSeconds: 900 },
  failureLimit: { failures: 5, seconds: 60 },
  messageLimit: { perAccount: 10, perReceiver: 3 },
  receiverPace: { perHour: 3 },
};

const times = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));
const either = <Engine>(pair: Pair<Engine>, index: number) => pair[index % 2] as Engine;
const address = () => `${randomUUID()}@example.org`;
const addresses = (count: number) => Array.from({ length: count }, address);

/** The behaviour of everything that is kept in Redis, both of Redis and of the stand-in in memory. */
export function limitsContract(name: string, open: () => Promise<LimitsUnderTest>): void {
  describe(name, () => {
    let engines: LimitsUnderTest;
    beforeAll(async () => {
      engines = await open();
    });
    afterAll(() => engines[Symbol.asyncDispose]());

    describe('as a store of CSRF tokens', () => {
      const { lifetimeSeconds } = contractSettings.csrfTokens;
      const mint = (account: string) => engines.csrfTokens[0].mint(account);
      const accept = (account: string, token: string) => engines.csrfTokens[1].accept(account, token);
      const countAccepted = async (account: string, tokens: readonly string[]) => {
        const accepted = await Promise.all(tokens.map((token) => accept(account, token)));
        return accepted.filter(Boolean).length;
      };

      test('accepts a token of 256 bits in every process, any number of times', async () => {
        const account = randomUUID();
        const token = await mint(account);
        expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
        for (const tokens of [...engines.csrfTokens, engines.csrfTokens[0]]) {
          expect(await tokens.accept(account, token)).toBe(true);
        }
      });

      test('does not accept a token of another account, or one that was never made', async () => {
        const [one, other] = [randomUUID(), randomUUID()];
        const token = await mint(one);
        await mint(other);
        expect(await accept(other, token)).toBe(false);
        expect(await accept(randomUUID(), token)).toBe(false);
        expect(await accept(one, `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`)).toBe(false);
      });

      test('accepts a token until its lifetime has passed since the last use', async () => {
        const account = randomUUID();
        const token = await mint(account);
        for (let use = 0; use < 4; use += 1) {
          await engines.elapse(account, lifetimeSeconds * 0.6);
          expect(await accept(account, token)).toBe(true);
        }
        await engines.elapse(account, lifetimeSeconds);
        expect(await accept(account, token)).toBe(false);
        expect(await accept(account, token)).toBe(false);
      });

      test('keeps 60 tokens of an account, whatever another account does', async () => {
        const [account, other] = [randomUUID(), randomUUID()];
        const kept = await mint(other);
        const minted = await times(65, (index) => either(engines.csrfTokens, index).mint(account));
        expect(new Set(minted).size).toBe(65);
        expect(await countAccepted(account, minted)).toBe(limits.csrfTokensPerAccount);
        expect(await accept(other, kept)).toBe(true);
      });

      test('removes the least recently used token for a new one', async () => {
        const account = randomUUID();
        const [oldest, second] = [await mint(account), await mint(account)];
        await engines.elapse(account, 10);
        const others = await times(limits.csrfTokensPerAccount - 2, () => mint(account));
        expect(await accept(account, oldest)).toBe(true);
        await mint(account);
        expect(await accept(account, oldest)).toBe(true);
        expect(await accept(account, second)).toBe(false);
        expect(await countAccepted(account, others)).toBe(others.length);
      });

      test('removes expired tokens before live ones', async () => {
        const account = randomUUID();
        const expired = await mint(account);
        await engines.elapse(account, lifetimeSeconds + 1);
        const live = await times(limits.csrfTokensPerAccount, () => mint(account));
        expect(await countAccepted(account, [expired, ...live])).toBe(live.length);
      });
    });

    describe('as a limit of failures', () => {
      const { failures, seconds } = contractSettings.failureLimit;

      test('counts exactly in all processes, and reports what is left', async () => {
        const from = address();
        for (let failure = 0; failure < failures; failure += 1) {
          const counted = await either(engines.failureLimit, failure).record(from);
          const remaining = failures - 1 - failure;
          expect(counted).toMatchObject({ quota: failures, windowSeconds: seconds, remaining, isExceeded: false });
        }
        for (const limit of engines.failureLimit) {
          const { isExceeded, remaining, resetSeconds } = await limit.record(from);
          expect([isExceeded, remaining]).toEqual([true, 0]);
          expect(resetSeconds).toBeGreaterThan(0);
          expect(resetSeconds).toBeLessThanOrEqual(seconds);
        }
      });

      test('counts exactly when failures happen at the same time', async () => {
        const from = address();
        const counted = await times(20, (index) => either(engines.failureLimit, index).record(from));
        expect(counted.filter(({ isExceeded }) => !isExceeded)).toHaveLength(failures);
      });

      test('counts each address separately, from zero in a new window', async () => {
        const [from, other] = [address(), address()];
        await times(failures + 1, () => engines.failureLimit[0].record(from));
        expect((await engines.failureLimit[0].record(other)).isExceeded).toBe(false);
        await engines.elapse(from, seconds);
        expect(await engines.failureLimit[0].record(from)).toMatchObject({
          isExceeded: false,
          remaining: failures - 1,
        });
      });
    });

    describe('as a limit of attempts', () => {
      const rule = { free: 3, firstDelaySeconds: 10, maxDelaySeconds: 60, decaySeconds: 100 };
      const counts = (...keys: string[]) => keys.map((key) => ({ key, rule }));
      const acquire = (...keys: string[]) => engines.attemptLimit[0].acquire(counts(...keys));
      const release = (...keys: string[]) => engines.attemptLimit[1].release(counts(...keys));
      /** A wait is rounded up, and time passes while the test runs. */
      const expectWait = (wait: number, seconds: number) => {
        expect(wait).toBeLessThanOrEqual(seconds);
        expect(wait).toBeGreaterThan(seconds - 5);
        expect(wait % 1).toBe(0);
      };

      test('delays every attempt after the free ones twice as long, up to a maximum', async () => {
        const key = randomUUID();
        for (let free = 0; free < 3; free += 1) expect(await acquire(key)).toBe(0);
        for (const delay of [10, 20, 40, 60, 60]) {
          expect(await acquire(key)).toBe(0);
          expectWait(await acquire(key), delay);
          expectWait(await engines.attemptLimit[1].acquire(counts(key)), delay);
          await engines.elapse(key, delay);
        }
      });

      test('counts exactly when attempts happen at the same time', async () => {
        const key = randomUUID();
        const waits = await times(20, (index) => either(engines.attemptLimit, index).acquire(counts(key)));
        expect(waits.filter((wait) => wait === 0)).toHaveLength(4);
      });

      test('counts in all or in none', async () => {
        const [one, other] = [randomUUID(), randomUUID()];
        for (let attempt = 0; attempt < 4; attempt += 1) await acquire(one);
        for (let attempt = 0; attempt < 5; attempt += 1) expectWait(await acquire(other, one), 10);
        for (let attempt = 0; attempt < 4; attempt += 1) expect(await acquire(other)).toBe(0);
        expectWait(await acquire(other), 10);
      });

      test('returns the longest of the waits', async () => {
        const [one, other] = [randomUUID(), randomUUID()];
        for (let attempt = 0; attempt < 4; attempt += 1) await acquire(one, other);
        await engines.elapse(one, 10);
        expect(await acquire(one)).toBe(0);
        expectWait(await acquire(one, other), 20);
        expectWait(await acquire(other, one), 20);
      });

      test('counts one attempt less after each decay', async () => {
        const key = randomUUID();
        for (let attempt = 0; attempt < 4; attempt += 1) await acquire(key);
        await engines.elapse(key, 150);
        // Three are left and half a decay has passed: the next one is delayed, after which half a decay makes room for one.
        expect(await acquire(key)).toBe(0);
        expectWait(await acquire(key), 10);
        await engines.elapse(key, 55);
        expect(await acquire(key)).toBe(0);
        expectWait(await acquire(key), 10);
      });

      test('begins anew when all have decayed', async () => {
        const key = randomUUID();
        for (let attempt = 0; attempt < 4; attempt += 1) await acquire(key);
        await engines.elapse(key, 500);
        for (let attempt = 0; attempt < 4; attempt += 1) expect(await acquire(key)).toBe(0);
        expectWait(await acquire(key), 10);
      });

      test('takes attempts back that were no guesses, however many there are', async () => {
        const key = randomUUID();
        for (let attempt = 0; attempt < 20; attempt += 1) {
          expect(await acquire(key)).toBe(0);
          await release(key);
        }
        for (let attempt = 0; attempt < 3; attempt += 1) expect(await acquire(key)).toBe(0);
        expect(await acquire(key)).toBe(0);
        await release(key);
        expect(await acquire(key)).toBe(0);
        expectWait(await acquire(key), 10);
      });

      test('keeps a delay while there are too many other attempts', async () => {
        const key = randomUUID();
        for (let attempt = 0; attempt < 4; attempt += 1) await acquire(key);
        await engines.elapse(key, 10);
        expect(await acquire(key)).toBe(0);
        await release(key);
        expectWait(await acquire(key), 20);
      });

      test('ignores what is taken back without having been counted', async () => {
        const key = randomUUID();
        await release(key);
        for (let attempt = 0; attempt < 4; attempt += 1) expect(await acquire(key)).toBe(0);
        expectWait(await acquire(key), 10);
      });
    });

    describe('as a limit of messages', () => {
      const take = (account: string, receivers: readonly string[]) =>
        engines.messageLimit[0].acquire(account, receivers);

      test('lets an account write to so many receivers, then returns the seconds to wait', async () => {
        const account = randomUUID();
        expect(await take(account, addresses(6))).toBe(0);
        expect(await take(account, addresses(4))).toBe(0);
        const wait = await take(account, addresses(1));
        expect(wait).toBeGreaterThan(3590);
        expect(wait).toBeLessThanOrEqual(3600);
        expect(await take(randomUUID(), addresses(1))).toBe(0);
      });

      test('counts exactly when several processes count at the same time', async () => {
        const [account, other, to] = [randomUUID(), randomUUID(), address()];
        const waits = await times(30, (index) => either(engines.messageLimit, index).acquire(account, addresses(1)));
        expect(waits.filter((wait) => wait === 0)).toHaveLength(10);
        const toOne = await times(20, (index) => either(engines.messageLimit, index).acquire(other, [to]));
        expect(toOne.filter((wait) => wait === 0)).toHaveLength(3);
      });

      test('returns a whole window for more than can ever be sent', async () => {
        expect(await take(randomUUID(), addresses(11))).toBe(3600);
      });

      test('counts a receiver once per message, and separately for each account', async () => {
        const [account, to] = [randomUUID(), address()];
        for (let message = 0; message < 3; message += 1) expect(await take(account, [to, to])).toBe(0);
        expect(await take(account, [to])).toBeGreaterThan(0);
        expect(await take(randomUUID(), [to, address()])).toBe(0);
      });

      propertyTest.prop([fc.array(fc.uniqueArray(fc.nat(5), { minLength: 1 }), { maxLength: 12 })], { numRuns: 25 })(
        'counts all receivers of a message or none',
        async (messages) => {
          const account = randomUUID();
          const people = addresses(6);
          const counts = people.map(() => 0);
          let total = 0;
          for (const receivers of messages) {
            const fits = total + receivers.length <= 10 && receivers.every((person) => (counts[person] as number) < 3);
            const to = receivers.map((person) => people[person] as string);
            expect((await take(account, to)) === 0).toBe(fits);
            if (!fits) continue;
            total += receivers.length;
            for (const person of receivers) counts[person] = (counts[person] as number) + 1;
          }
        },
      );

      test('has a window that begins with the first message and is not extended', async () => {
        const [account, to] = [randomUUID(), address()];
        await take(account, [to]);
        await engines.elapse(account, 3500);
        await take(account, [to]);
        await take(account, [to]);
        const wait = await take(account, [to]);
        expect(wait).toBeGreaterThan(0);
        expect(wait).toBeLessThanOrEqual(100);
        expect(wait % 1).toBe(0);
        await engines.elapse(account, 100);
        expect(await take(account, [to])).toBe(0);
      });

      test('returns the longest of the waits for the receivers of a message', async () => {
        const [account, soon, later] = [randomUUID(), address(), address()];
        for (let message = 0; message < 3; message += 1) await take(account, [soon]);
        await engines.elapse(account, 600);
        for (let message = 0; message < 3; message += 1) await take(account, [later]);
        const wait = await take(account, [soon, later]);
        expect(wait).toBeGreaterThan(3590);
        expect(await take(account, [soon])).toBeLessThanOrEqual(3000);
      });
    });

    describe('as the pace of a receiver', () => {
      test('lets so many messages an hour pass in all processes, and returns the seconds to wait', async () => {
        const to = address();
        const waits = await times(8, (index) => either(engines.receiverPace, index).acquire(to));
        expect(waits.filter((wait) => wait === 0)).toHaveLength(3);
        const wait = await engines.receiverPace[0].acquire(to);
        expect(wait).toBeGreaterThan(3590);
        expect(wait).toBeLessThanOrEqual(3600);
        expect(await engines.receiverPace[0].acquire(address())).toBe(0);
      });

      test('begins again after an hour, however many were refused in it', async () => {
        const to = address();
        await times(5, () => engines.receiverPace[0].acquire(to));
        await engines.elapse(to, 3590);
        expect(await engines.receiverPace[0].acquire(to)).toBeLessThanOrEqual(10);
        await engines.elapse(to, 10);
        expect(await engines.receiverPace[0].acquire(to)).toBe(0);
      });
    });
  });
}
