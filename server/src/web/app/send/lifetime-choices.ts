import type { LifetimeInput } from '../../../domain/drops/lifetime.ts';
import type { LifetimeRule } from '../../../domain/policy.ts';
import type { Translator } from '../../../present/texts/translator.ts';
import { findEndOfDay, toIsoDay } from '../shared/end-of-day.ts';
import type { LifetimeChoices } from './composer-values.ts';

const daySeconds = 86_400;
/** The lifetimes in days that most senders need, where the account allows them. */
const usualDays = [3, 7, 14, 30];
const maxPresets = 5;

/** The choices of a sender: some numbers of days, and a day of their own unless the account allows only certain ones. */
export function listLifetimes(
  rule: LifetimeRule,
  now: Date,
  translator: Pick<Translator, 'locale'>,
  timeZone: string | undefined,
): LifetimeChoices & { readonly defaultDays: string } {
  const inWords = new Intl.DateTimeFormat(translator.locale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    timeZone,
  });
  const defaultDays = (rule.default * rule.unitSeconds) / daySeconds;
  const allowed = (rule.only ?? []).map((lifetime) => (lifetime * rule.unitSeconds) / daySeconds);
  const days = [...new Set([...allowed, ...usualDays, defaultDays])]
    .filter((count) => Number.isInteger(count) && count > 0 && isAllowed(rule, count * daySeconds))
    .toSorted((one, other) => one - other)
    .slice(0, maxPresets);
  const after = (seconds: number) => new Date(now.getTime() + seconds * 1000);
  const first = toIsoDay(after(Math.max(rule.min * rule.unitSeconds, daySeconds)), timeZone);
  const last = toIsoDay(after(rule.max * rule.unitSeconds), timeZone);
  return {
    presets: days.map((count) => ({ days: count, until: inWords.format(after(count * daySeconds)) })),
    range: rule.only || first > last ? undefined : { min: first, max: last },
    defaultDays: days.includes(defaultDays) ? String(defaultDays) : String(days[0] ?? ''),
  };
}

/** Reads the choice. A day of one's own ends with its last second, in the person's time zone, or with the longest lifetime. */
export function readLifetime(
  { days, until }: { readonly days: string; readonly until: string },
  rule: LifetimeRule,
  now: Date,
  timeZone: string | undefined,
): LifetimeInput | undefined {
  if (/^\d{1,4}$/.test(days)) return { expiresIn: Number(days) * daySeconds };
  if (days !== '') return undefined;
  if (until === '') return {};
  const end = findEndOfDay(until, timeZone);
  if (!end) return undefined;
  const seconds = Math.floor((end.getTime() - now.getTime()) / 1000);
  const longest = rule.max * rule.unitSeconds;
  // The last day that is offered ends later than the account may choose. Where the clock is put back, a day is longer than 24 hours.
  const isLastDay = toIsoDay(now.getTime() + longest * 1000, timeZone) === until;
  return { expiresIn: isLastDay ? Math.min(seconds, longest) : seconds };
}

function isAllowed({ unitSeconds, min, max, only }: LifetimeRule, seconds: number): boolean {
  return only
    ? only.some((lifetime) => lifetime * unitSeconds === seconds)
    : seconds >= min * unitSeconds && seconds <= max * unitSeconds;
}
