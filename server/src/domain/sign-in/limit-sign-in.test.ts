import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { fc, test as propertyTest } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import type { AuditStore } from '../audit/audit-store.ts';
import { ExchangeError } from '../exchange-error.ts';
import { MemoryAttempts } from './attempts.ts';
import { limitSignIn, type SignInAttempt } from './limit-sign-in.ts';

const anna = 'anna@example.org';
const device = { id: '0192f0c1-0000-7000-8000-000000000001' };
const personId = '0192f0c1-0000-7000-8000-000000000002';
const home = {
  email: anna,
  personId,
  address: '192.0.2.1',
  device: undefined,
  step: 'password',
} satisfies SignInAttempt;
const hourSeconds = 3_600;
const daySeconds = 24 * hourSeconds;

/** An audit log, and ids for its entries. */
function fakeAudit(append: (entry: Parameters<AuditStore['append']>[1]) => void) {
  const audit: AuditStore = {
    append: async (_accountId, entry) => append(entry),
    ofDrop: async () => [],
    search: async () => [],
    follow: async () => [],
    end: async () => undefined,
    purge: async () => ({ rows: 0, more: false }),
  };
  return { store: { audit }, random: { uuid: randomUUIDv7, bytes: randomBytes } };
}

/** A server whose clock a test moves, and the attempts that it judged. */
function makeServer() {
  let seconds = 1_000_000;
  let judged = 0;
  const entries: Parameters<AuditStore['append']>[1][] = [];
  const engines = {
    attemptLimit: new MemoryAttempts(() => seconds * 1000),
    ...fakeAudit((entry) => entries.push(entry)),
  };
  const judge = async (attempt: Partial<SignInAttempt>, isRight: boolean) => {
    try {
      return await limitSignIn(engines, { ...home, ...attempt }, async () => {
        judged += 1;
        if (!isRight) throw new ExchangeError('sign_in_failed');
        return 'signed in';
      });
    } catch (error) {
      const { code, retryAfterSeconds } = error as ExchangeError;
      return code === 'too_many_requests' ? (retryAfterSeconds ?? 0) : code;
    }
  };
  return {
    engines,
    /** The audit log, as texts. */
    audited: () =>
      entries.map(({ action, author, details }) =>
        [action, details['method'], details['personId'] ?? 'nobody', author.address].join(' '),
      ),
    elapse: (by: number) => {
      seconds += by;
    },
    judged: () => judged,
    guess: (attempt: Partial<SignInAttempt> = {}) => judge(attempt, false),
    signIn: (attempt: Partial<SignInAttempt> = {}) => judge(attempt, true),
    /** Guesses as fast as allowed from each of these networks, for this long. Returns the number of guesses that were judged. */
    async attack(attempts: readonly Partial<SignInAttempt>[], duration: number, stepSeconds = 1) {
      const before = judged;
      for (let elapsed = 0; elapsed < duration; elapsed += stepSeconds) {
        for (const attempt of attempts) await judge(attempt, false);
        seconds += stepSeconds;
      }
      return judged - before;
    },
  };
}

const networks = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ address: `198.51.${index >> 8}.${index & 255}` }));

describe('a person', () => {
  test('may mistype a password five times, and then waits', async () => {
    const { guess, signIn, elapse } = makeServer();
    for (let typo = 0; typo < 6; typo += 1) expect(await guess()).toBe('sign_in_failed');
    expect(await signIn()).toBe(30);
    elapse(30);
    expect(await signIn()).toBe('signed in');
  });

  test('may sign in any number of times', async () => {
    const { signIn } = makeServer();
    for (let time = 0; time < 1000; time += 1) expect(await signIn()).toBe('signed in');
  });

  test('is refused without being judged while there were too many, even with the right password', async () => {
    const { guess, signIn, judged } = makeServer();
    for (let typo = 0; typo < 6; typo += 1) await guess();
    expect([await signIn(), await guess(), judged()]).toEqual([30, 30, 6]);
  });

  test('is not held up by those who fail in the same network', async () => {
    const { guess, signIn } = makeServer();
    for (let typo = 0; typo < 200; typo += 1) await guess({ email: `person${typo % 50}@example.org` });
    expect(await signIn()).toBe('signed in');
  });

  test('is not slowed down by a day of guesses from one other network', async () => {
    const { attack, signIn } = makeServer();
    let isHeldUp = false;
    for (let hour = 0; hour < 24; hour += 1) {
      await attack([{ address: '203.0.113.9' }], hourSeconds, 30);
      isHeldUp ||= (await signIn()) !== 'signed in';
    }
    expect(isHeldUp).toBe(false);
  });

  test('signs in on a known device while a hundred networks guess', async () => {
    const { attack, signIn, guess } = makeServer();
    await attack(networks(100), 2 * hourSeconds, 60);
    expect(await signIn()).toBeGreaterThan(60);
    for (let time = 0; time < 50; time += 1) expect(await signIn({ device })).toBe('signed in');
    // Typing errors there count only there.
    for (let typo = 0; typo < 10; typo += 1) expect(await guess({ device })).toBe('sign_in_failed');
    expect(await signIn({ device })).toBe('signed in');
  });

  test('signs in on a known device in a network that is full of failures', async () => {
    const { guess, signIn } = makeServer();
    for (let typo = 0; typo < 400; typo += 1) await guess({ email: `person${typo}@example.org` });
    expect(await signIn()).toBe(1);
    expect(await signIn({ device })).toBe('signed in');
  });

  test('enters a code on a known device while somebody who knows the password guesses codes', async () => {
    const { attack, signIn } = makeServer();
    await attack([{ step: 'code', address: '203.0.113.9' }], hourSeconds, 10);
    expect(await signIn({ step: 'code' })).toBeGreaterThan(0);
    expect(await signIn({ step: 'code', device })).toBe('signed in');
  });

  test('enters a code while others guess the password', async () => {
    const { attack, signIn } = makeServer();
    await attack(networks(100), hourSeconds, 60);
    expect(await signIn({ step: 'code' })).toBe('signed in');
  });
});

describe('a guesser', () => {
  test('in one network has about 50 guesses a day for an address', async () => {
    const { attack } = makeServer();
    await attack([home], daySeconds, 30);
    const later = await attack([home], daySeconds, 30);
    expect(later).toBeGreaterThan(20);
    expect(later).toBeLessThan(60);
  });

  test('in a hundred networks has about 100 guesses a day for an address', async () => {
    const { attack } = makeServer();
    const first = await attack(networks(100), daySeconds, 300);
    expect(first).toBeLessThan(150);
    const later = await attack(networks(100), daySeconds, 300);
    expect(later).toBeLessThan(110);
  });

  test('who knows the password has about 30 guesses of a code a day', async () => {
    const { attack } = makeServer();
    const first = await attack(
      networks(10).map((from) => ({ ...from, step: 'code' as const })),
      daySeconds,
      60,
    );
    expect(first).toBeGreaterThan(10);
    expect(first).toBeLessThan(40);
  });

  test('with a stolen cookie has about 300 guesses a day', async () => {
    const { attack } = makeServer();
    const first = await attack([{ device }], daySeconds, 30);
    expect(first).toBeGreaterThan(200);
    expect(first).toBeLessThan(320);
  });

  test('of many addresses has one guess a second in a network', async () => {
    const { guess, attack } = makeServer();
    const many = Array.from({ length: 20 }, (_, index) => `person${index}`);
    for (let index = 0; index < 301; index += 1) await guess({ email: `${index}@example.org` });
    let minute = 0;
    const guesses = await attack(
      many.map((name) => ({
        get email() {
          minute += 1;
          return `${name}-${minute}@example.org`;
        },
      })),
      600,
    );
    expect(guesses).toBeLessThanOrEqual(601);
    expect(guesses).toBeGreaterThan(500);
  });

  test('who tries a hundred at once is judged six times', async () => {
    const { guess, judged } = makeServer();
    await Promise.all(Array.from({ length: 100 }, () => guess()));
    expect(judged()).toBe(6);
  });

  test('gets no further guesses when the right person signs in, there or elsewhere', async () => {
    const { guess, signIn, elapse, judged } = makeServer();
    for (let time = 0; time < 6; time += 1) await guess();
    elapse(30);
    expect(await signIn()).toBe('signed in');
    expect(await signIn({ address: '192.0.2.77' })).toBe('signed in');
    const before = judged();
    await guess();
    await guess();
    expect(judged() - before).toBeLessThanOrEqual(1);
  });

  test('is counted by the first half of an IPv6 address', async () => {
    const { guess } = makeServer();
    const from = (index: number) => ({ address: `2001:db8:1:2:${index.toString(16)}::1` });
    for (let index = 0; index < 6; index += 1) expect(await guess(from(index))).toBe('sign_in_failed');
    expect(await guess(from(99))).toBe(30);
    expect(await guess({ address: '2001:db8:1:3::1' })).toBe('sign_in_failed');
    const { guess: guessAgain } = makeServer();
    for (let index = 0; index < 6; index += 1) await guessAgain({ address: '::ffff:192.0.2.1' });
    expect(await guessAgain({ address: '192.0.2.1' })).toBe(30);
  });
});

describe('the audit log', () => {
  test('has the first failure of an hour and the first refusal, by method and with where they came from', async () => {
    const { guess, audited, elapse } = makeServer();
    for (let typo = 0; typo < 10; typo += 1) await guess();
    const first = [
      `person.sign_in_failed password ${personId} 192.0.2.1`,
      `person.sign_in_limited password ${personId} 192.0.2.1`,
    ];
    expect(audited()).toEqual(first);
    await guess({ step: 'code', address: '203.0.113.9' });
    elapse(hourSeconds);
    await guess({ address: '198.51.100.1' });
    expect(audited().slice(2)).toEqual([
      `person.sign_in_failed code ${personId} 203.0.113.9`,
      `person.sign_in_failed password ${personId} 198.51.100.1`,
    ]);
  });

  test('has an entry for an address of nobody, too, which does not contain it', async () => {
    const { guess, audited } = makeServer();
    await guess({ email: 'secret typed into the wrong field', personId: undefined });
    expect(audited()).toEqual(['person.sign_in_failed password nobody 192.0.2.1']);
  });

  test('has nothing about people who sign in', async () => {
    const { signIn, audited } = makeServer();
    await signIn();
    expect(audited()).toEqual([]);
  });

  test('cannot be filled from one network, nor from many', async () => {
    const { guess, audited, elapse } = makeServer();
    const strangers = (from: string, count: number) =>
      Promise.all(Array.from({ length: count }, (_, index) => guess({ email: `${index}@${from}`, address: from })));
    await strangers('203.0.113.9', 400);
    const countFailed = () => audited().filter((entry) => entry.startsWith('person.sign_in_failed')).length;
    expect(countFailed()).toBe(201);
    for (const { address } of networks(12)) await strangers(address, 210);
    expect(countFailed()).toBe(2_001);
    for (let minute = 0; minute < 60; minute += 1) {
      elapse(60);
      await strangers(`198.18.0.${minute}`, 10);
    }
    expect(countFailed() - 2_001).toBeLessThanOrEqual(180);
  });
});

test('a fault of the server is not counted as a guess', async () => {
  const { engines, signIn } = makeServer();
  for (let fault = 0; fault < 50; fault += 1) {
    const failing = limitSignIn(engines, home, () => Promise.reject(new ExchangeError('unavailable')));
    await expect(failing).rejects.toMatchObject({ code: 'unavailable' });
  }
  expect(await signIn()).toBe('signed in');
});

test('the names of counts are bounded, contain no address, and differ', async () => {
  const keys: string[] = [];
  const attemptLimit = {
    acquire: async (counts: readonly { key: string }[]) => {
      keys.push(...counts.map(({ key }) => key));
      return 0;
    },
    release: async () => undefined,
  };
  const long = `${'a'.repeat(10_000)}@example.org`;
  for (const email of [anna, long]) {
    for (const step of ['password', 'code'] as const) {
      for (const known of [undefined, device]) {
        await limitSignIn(
          { attemptLimit, ...fakeAudit(() => undefined) },
          { ...home, email, step, device: known },
          async () => 1,
        );
      }
    }
  }
  // The network is the same in four of them, in which there is no device.
  expect(new Set(keys).size).toBe(keys.length - 3);
  expect(Math.max(...keys.map(({ length }) => length))).toBeLessThan(80);
  expect(keys.join(' ')).not.toMatch(/anna|192\.0/);
});

propertyTest.prop([fc.string(), fc.string()])('any address is counted', async (email, address) => {
  const { guess, signIn } = makeServer();
  for (let typo = 0; typo < 6; typo += 1) expect(await guess({ email, address })).toBe('sign_in_failed');
  expect(await signIn({ email, address })).toBe(30);
});

test('counts in memory are bounded', async () => {
  const attempts = new MemoryAttempts(() => 0);
  const rule = { free: 0, firstDelaySeconds: 10, maxDelaySeconds: 10, decaySeconds: 10 };
  for (let index = 0; index <= 100_000; index += 1) await attempts.acquire([{ key: String(index), rule }]);
  expect(await attempts.acquire([{ key: '0', rule }])).toBe(0);
  expect(await attempts.acquire([{ key: '100000', rule }])).toBe(10);
});
