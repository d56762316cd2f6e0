import { hash } from 'node:crypto';
import { toSubscriber } from '../accounts/network.ts';
import { systemAuthor } from '../audit/author.ts';
import { record, serverAccountId } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Browser } from '../people/browser.ts';
import type { AttemptCount, AttemptRule } from '../ports/limits.ts';
import type { Store } from '../store.ts';
import { type KnownDevice, readDeviceCookie } from './known-device.ts';
import { toSignInEmail } from './sign-in.ts';

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

/** By what failed attempts are counted. A browser in which the person has signed in before is not slowed down by others. */
export async function describeAttempt(
  { store, pepper }: Pick<Engines, 'store'> & { readonly pepper: Buffer },
  { address, deviceCookie }: Browser,
  typed: string,
  step: SignInAttempt['step'],
): Promise<SignInAttempt> {
  const email = toSignInEmail(typed);
  const personId = (await store.people.byEmail(email))?.id;
  return { email, personId, address, device: readDeviceCookie(deviceCookie, personId, pepper), step };
}

/** The engines that every attempt needs. */
type AttemptNeeds = Pick<Engines, 'random' | 'attemptLimit'> & { readonly store: Pick<Store, 'audit'> };

/** A wrong password, code or passkey, or an attempt that was refused because there were too many. */
type FailedOutcome = 'failed' | 'limited';

const actions = { failed: 'person.sign_in_failed', limited: 'person.sign_in_limited' } as const;

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
  // The entries in the audit log: guessers must not be able to fill it, nor one of them to use up the entries of all others.
  /** One address and step, or one network for a passkey, which comes without an address: the first in an hour. */
  'failures:subject': { free: 0, firstDelaySeconds: 3_600, maxDelaySeconds: 3_600, decaySeconds: 3_600 },
  /** One network: 60 an hour, and those of a Monday morning. */
  'failures:network': { free: 200, firstDelaySeconds: 60, maxDelaySeconds: 60, decaySeconds: 60 },
  /** The whole server: about 4,000 a day. */
  'failures:server': { free: 2_000, firstDelaySeconds: 20, maxDelaySeconds: 20, decaySeconds: 20 },
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

/**
 * Records that a sign-in failed. An address that belongs to nobody takes the same work as that of a person, so that the
 * time tells nothing, but is not recorded itself: people type passwords there, too.
 */
async function recordFailedSignIn(
  engines: AttemptNeeds,
  { email, personId, address, step }: SignInAttempt,
  outcome: FailedOutcome,
): Promise<void> {
  const network = toSubscriber(address);
  const counts = [
    count('failures:subject', outcome, step, step === 'passkey' ? network : email),
    count('failures:network', outcome, network),
    count('failures:server', outcome),
  ];
  if ((await engines.attemptLimit.acquire(counts)) > 0) return;
  await record(engines, engines.store, {
    accountId: serverAccountId,
    author: systemAuthor('server', address),
    action: actions[outcome],
    details: { method: step, personId: personId ?? null },
  });
}
