import { describeLifetimes } from '../accounts/read-policy.ts';
import type { Faults } from '../faults.ts';
import type { LifetimeRule } from '../policy.ts';

/** For how long a drop or a request shall live: a time from now, a deadline, or what is usual. */
export interface LifetimeInput {
  readonly expiresIn?: number | undefined;
  readonly expiresAt?: Date | undefined;
}

/** In seconds; undefined if it is not allowed, which is recorded. */
export function checkLifetime(faults: Faults, input: LifetimeInput, rule: LifetimeRule): number | undefined {
  const { expiresIn, expiresAt } = input;
  if (expiresIn !== undefined && expiresAt !== undefined) {
    faults.add('/expires_at', 'invalid_input', 'Send expires_in or expires_at, and not both.');
    return undefined;
  }
  const { unitSeconds, min, max, only } = rule;
  if (expiresIn === undefined && expiresAt === undefined) return rule.default * unitSeconds;
  const seconds = expiresIn ?? ((expiresAt as Date).getTime() - Date.now()) / 1000;
  const isAllowed = only
    ? only.some((lifetime) => lifetime * unitSeconds === seconds)
    : seconds >= min * unitSeconds && seconds <= max * unitSeconds;
  if (isAllowed) return seconds;
  const detail = `The account may give a lifetime of ${describeLifetimes(rule)} times ${unitSeconds} seconds.`;
  faults.add(expiresIn === undefined ? '/expires_at' : '/expires_in', 'invalid_input', detail);
  return undefined;
}
