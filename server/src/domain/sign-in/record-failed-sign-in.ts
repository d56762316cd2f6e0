import { hash } from 'node:crypto';
import { toSubscriber } from '../accounts/network.ts';
import { systemAuthor } from '../audit/author.ts';
import { record, serverAccountId } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import type { AttemptCount, AttemptRule } from '../ports/limits.ts';
import type { Store } from '../store.ts';
import type { SignInAttempt } from './limit-sign-in.ts';

/** The engines that every attempt needs. */
export type AttemptNeeds = Pick<Engines, 'random' | 'attemptLimit'> & { readonly store: Pick<Store, 'audit'> };

/** A wrong password, code or passkey, or an attempt that was refused because there were too many. */
type FailedOutcome = 'failed' | 'limited';

const hourSeconds = 3_600;
const actions = { failed: 'person.sign_in_failed', limited: 'person.sign_in_limited' } as const;
/** Guessers must not be able to fill the audit log, nor one of them to use up the entries of all others. */
const rules = {
  /** One address and step, or one network for a passkey, which comes without an address: the first in an hour. */
  subject: { free: 0, firstDelaySeconds: hourSeconds, maxDelaySeconds: hourSeconds, decaySeconds: hourSeconds },
  /** One network: 60 an hour, and those of a Monday morning. */
  network: { free: 200, firstDelaySeconds: 60, maxDelaySeconds: 60, decaySeconds: 60 },
  /** The whole server: about 4,000 a day. */
  server: { free: 2_000, firstDelaySeconds: 20, maxDelaySeconds: 20, decaySeconds: 20 },
} as const satisfies Record<string, AttemptRule>;

/**
 * Records that a sign-in failed. An address that belongs to nobody takes the same work as that of a person, so that the
 * time tells nothing, but is not recorded itself: people type passwords there, too.
 */
export async function recordFailedSignIn(
  engines: AttemptNeeds,
  { email, personId, address, step }: SignInAttempt,
  outcome: FailedOutcome,
): Promise<void> {
  const network = toSubscriber(address);
  const counts = [
    count('subject', outcome, step, step === 'passkey' ? network : email),
    count('network', outcome, network),
    count('server', outcome),
  ];
  if ((await engines.attemptLimit.acquire(counts)) > 0) return;
  await record(engines, engines.store, {
    accountId: serverAccountId,
    author: systemAuthor('server', address),
    action: actions[outcome],
    details: { method: step, personId: personId ?? null },
  });
}

function count(rule: keyof typeof rules, ...subject: readonly string[]): AttemptCount {
  return { key: `failures:${rule}:${hash('sha256', JSON.stringify(subject), 'base64url')}`, rule: rules[rule] };
}
