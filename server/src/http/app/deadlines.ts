import type { LifetimeRule } from '../../domain/policy.ts';
import type { DeadlineChoices } from '../../views/pages/app/delivery-task.tsx';

const dayMs = 86_400_000;
/** Days from now that a page offers, as far as the account may give them. */
const usualDays = [7, 14, 30, 90];

/** What a new deadline is chosen from. */
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
  return {
    days: later.toSorted((one, other) => one - other),
    min: toDay(new Date(Math.max(current.getTime(), now.getTime()) + dayMs), timeZone),
    max: toDay(latest(lifetime, now), timeZone),
  };
}

/** The deadline that a form chooses: a number of days from now, or the end of a day. Undefined if it chooses none. */
export function readDeadline(form: URLSearchParams, { lifetime, now, timeZone }: Rules): Date | undefined {
  const days = form.get('days') ?? '';
  if (/^\d{1,4}$/.test(days)) return new Date(now.getTime() + Number(days) * dayMs);
  const day = form.get('date') ?? '';
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return undefined;
  const end = endOfDay(day, timeZone);
  if (Number.isNaN(end.getTime())) return undefined;
  const last = latest(lifetime, now);
  // The last day that is offered ends later than the account may choose.
  return toDay(last, timeZone) === day ? last : end;
}

/** A moment before the latest deadline, so that it is still allowed when the database looks at its clock. */
function latest({ unitSeconds, max }: Rules['lifetime'], now: Date): Date {
  return new Date(now.getTime() + max * unitSeconds * 1000 - 1000);
}

function toDay(at: Date, timeZone: string): string {
  const format = { year: 'numeric', month: '2-digit', day: '2-digit', timeZone: timeZone || undefined } as const;
  return new Intl.DateTimeFormat('en-CA', format).format(at);
}

/** One minute before midnight: the time that people read is on the day that they chose. */
function endOfDay(day: string, timeZone: string): Date {
  const utc = new Date(`${day}T23:59:00Z`);
  if (Number.isNaN(utc.getTime())) return utc;
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: timeZone || undefined,
    timeZoneName: 'longOffset',
  }).formatToParts(utc);
  const [, sign = '+', hours = '0', minutes = '0'] =
    /GMT([+-])(\d\d):(\d\d)/.exec(parts.find(({ type }) => type === 'timeZoneName')?.value ?? '') ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  return new Date(utc.getTime() - offset * 60_000);
}
