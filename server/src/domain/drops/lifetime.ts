import type { Faults } from '../exchange-error.ts';
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
    faults.add({ field: 'expiresAt' }, 'invalid_input', 'Send expires_in or expires_at, and not both.');
    return undefined;
  }
  const { unitSeconds, min, max, only } = rule;
  if (expiresIn === undefined && expiresAt === undefined) return rule.default * unitSeconds;
  const seconds = expiresIn ?? ((expiresAt as Date).getTime() - Date.now()) / 1000;
  const isAllowed = only
    ? only.some((lifetime) => lifetime * unitSeconds === seconds)
    : seconds >= min * unitSeconds && seconds <= max * unitSeconds;
  if (isAllowed) return seconds;
  // Most likely a number of days.
  const given = expiresIn !== undefined && expiresIn < unitSeconds ? `, not of ${expiresIn} seconds` : '';
  const detail = `Choose a lifetime of ${describeChoice(rule)}${given}: that is what the account may give.`;
  faults.add({ field: expiresIn === undefined ? 'expiresAt' : 'expiresIn' }, 'invalid_input', detail);
  return undefined;
}

const units: Readonly<Record<number, string>> = { 1: 'second', 60: 'minute', 3600: 'hour', 86_400: 'day' };

/** Like `1 to 30 days`, or `1, 7 or 30 days`. */
function describeChoice({ unitSeconds, min, max, only }: LifetimeRule): string {
  const unit = units[unitSeconds] ?? `times ${unitSeconds} second`;
  const choices = only ?? [min, max];
  const last = choices.at(-1) ?? max;
  const first = choices.slice(0, -1).join(', ');
  const joint = only ? ' or ' : ' to ';
  return `${first}${first === '' ? '' : joint}${last} ${unit}${last === 1 ? '' : 's'}`;
}
