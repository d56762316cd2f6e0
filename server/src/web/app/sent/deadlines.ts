import type { LifetimeRule } from '../../../domain/policy.ts';
import { findEndOfDay, toIsoDay } from '../shared/end-of-day.ts';
import type { DeadlineChoices } from './sent-task.tsx';

const dayMs = 86_400_000;
/** Days from now that a page offers, as far as the account may give them. */
const usualDays = [7, 14, 30, 90];

/** The rules by which a new deadline is chosen. */
interface Rules {
  readonly lifetime: Pick<LifetimeRule, 'unitSeconds' | 'max' | 'only'>;
  readonly now: Date;
  /** The person's time zone; empty: the server's. */
  readonly timeZone: string;
  /** The deadline now, which only a later one can replace. */
  readonly current?: Date | undefined;
}

export function offerDeadlines({ lifetime, now, timeZone, current = now }: Rules): DeadlineChoices {
  const { unitSeconds, max, only } = lifetime;
  const toDays = (units: number) => (units * unitSeconds * 1000) / dayMs;
  const allowed = only
    ? only.map(toDays).filter((days) => Number.isInteger(days))
    : usualDays.filter((days) => days <= toDays(max));
  const later = allowed.filter((days) => now.getTime() + days * dayMs > current.getTime());
  const days = later.toSorted((one, other) => one - other);
  const atLeast = current.getTime() + dayMs - now.getTime();
  return {
    days,
    chosen: days.find((count) => count * dayMs >= atLeast) ?? days.at(-1),
    min: toIsoDay(new Date(Math.max(current.getTime(), now.getTime()) + dayMs), timeZone || undefined),
    max: toIsoDay(latest(lifetime, now), timeZone || undefined),
  };
}

/** The deadline that a form chooses: a number of days from now, or the end of a day. Undefined if it chooses none. */
export function readDeadline(form: URLSearchParams, { lifetime, now, timeZone }: Rules): Date | undefined {
  const days = form.get('days') ?? '';
  if (/^\d{1,4}$/.test(days)) return new Date(now.getTime() + Number(days) * dayMs);
  const day = form.get('date') ?? '';
  const end = findEndOfDay(day, timeZone || undefined);
  if (!end) return undefined;
  const last = latest(lifetime, now);
  // The last day that is offered ends later than the account may choose.
  return toIsoDay(last, timeZone || undefined) === day ? last : end;
}

/** A moment before the latest deadline, so that it is still allowed when the database looks at its clock. */
function latest({ unitSeconds, max }: Rules['lifetime'], now: Date): Date {
  return new Date(now.getTime() + max * unitSeconds * 1000 - 1000);
}
