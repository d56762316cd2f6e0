import { hash } from 'node:crypto';
import { toSubscriber } from '../accounts/network.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { AttemptCount, AttemptRule } from '../ports/limits.ts';
import type { KnownDevice } from './known-device.ts';
import { type AttemptNeeds, recordFailedSignIn } from './record-failed-sign-in.ts';

export interface SignInAttempt {
  /** In the form of `emailAddress`. Whether there is such a person makes no difference. */
  readonly email: string;
  /** The person of this address, for the audit log; undefined if there is none. */
  readonly personId: string | undefined;
  /** The browser's IP address. */
  readonly address: string;
  /** Undefined unless the person of this address has signed in with this browser before. */
  readonly device: KnownDevice | undefined;
  /** A code is asked for only after the password, so the two are counted separately. A passkey comes without an address. */
  readonly step: 'password' | 'code' | 'passkey';
}

const rules = {
  /**
   * One address from one network. A guesser there gets about 50 attempts a day, too few to slow down the same person
   * elsewhere.
   */
  passwordHere: { free: 5, firstDelaySeconds: 30, maxDelaySeconds: 3_600, decaySeconds: 1_800 },
  /** One address from everywhere: about 100 attempts a day for guessers in many networks. */
  passwordAnywhere: { free: 20, firstDelaySeconds: 1, maxDelaySeconds: 900, decaySeconds: 900 },
  /** Everybody behind a network: one failure a second, and a large organisation's typing errors on a Monday morning. */
  network: { free: 300, firstDelaySeconds: 1, maxDelaySeconds: 1, decaySeconds: 1 },
  /** One address from a browser in which its person has signed in; nothing else is counted for it. */
  passwordOnDevice: { free: 10, firstDelaySeconds: 10, maxDelaySeconds: 900, decaySeconds: 300 },
  /** A code of six digits, of which three are right at any time: about 30 attempts a day. */
  code: { free: 5, firstDelaySeconds: 60, maxDelaySeconds: 3_600, decaySeconds: 3_600 },
} as const satisfies Record<string, AttemptRule>;

/**
 * Slows down guessing without locking the right person out: whatever guessers do elsewhere, a browser in which the person
 * has signed in before has counts of its own. `verify` throws `sign_in_failed` for a wrong password or code; anything else
 * is no guess. Throws `too_many_requests` without calling it if there were too many.
 */
export async function limitSignIn<Result>(
  engines: AttemptNeeds,
  attempt: SignInAttempt,
  verify: () => Promise<Result>,
): Promise<Result> {
  const { attemptLimit } = engines;
  const counts = listCounts(attempt);
  const retryAfterSeconds = await attemptLimit.acquire(counts);
  if (retryAfterSeconds > 0) {
    await recordFailedSignIn(engines, attempt, 'limited');
    throw new ExchangeError('too_many_requests', undefined, { retryAfterSeconds });
  }
  try {
    const result = await verify();
    await attemptLimit.release(counts);
    return result;
  } catch (error) {
    if (error instanceof ExchangeError && error.code === 'sign_in_failed') {
      await recordFailedSignIn(engines, attempt, 'failed');
    } else {
      await attemptLimit.release(counts);
    }
    throw error;
  }
}

function listCounts({ email, address, device, step }: SignInAttempt): AttemptCount[] {
  if (device && step === 'code') return [count('code', email, device.id)];
  if (device) return [count('passwordOnDevice', email, device.id)];
  const network = toSubscriber(address);
  if (step === 'passkey') return [count('network', network)];
  if (step === 'code') return [count('code', email), count('network', network)];
  return [count('passwordHere', email, network), count('passwordAnywhere', email), count('network', network)];
}

function count(rule: keyof typeof rules, ...subject: readonly string[]): AttemptCount {
  return { key: `${rule}:${hash('sha256', JSON.stringify(subject), 'base64url')}`, rule: rules[rule] };
}
