import type { LifetimeInput } from '../../domain/drops/lifetime.ts';
import type { LifetimeRule } from '../../domain/policy.ts';
import type { LifetimeChoices } from '../../views/pages/app/send-page.tsx';
import type { Translator } from '../../views/translator.ts';

const daySeconds = 86_400;
/** Those that most senders need, where the account allows them. */
const usualDays = [3, 7, 14, 30];
const maxPresets = 5;

/** What a sender can choose: some numbers of days, and a day of their own unless the account allows only certain ones. */
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
  return { expiresIn: seconds > longest && seconds - longest < daySeconds ? longest : seconds };
}

function isAllowed({ unitSeconds, min, max, only }: LifetimeRule, seconds: number): boolean {
  return only
    ? only.some((lifetime) => lifetime * unitSeconds === seconds)
    : seconds >= min * unitSeconds && seconds <= max * unitSeconds;
}

function toIsoDay(at: Date, timeZone: string | undefined): string {
  return new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit', timeZone }).format(at);
}

/** The last second of a day such as `2026-11-23`. */
export function findEndOfDay(day: string, timeZone: string | undefined): Date | undefined {
  const utc = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T23:59:59Z`) : Number.NaN;
  if (Number.isNaN(utc)) return undefined;
  // The offset at that time is not known before the time is: the second step corrects the first near a change of clocks.
  let at = utc;
  for (let step = 0; step < 2; step += 1) at = utc - findOffsetMs(at, timeZone);
  return new Date(at);
}

function findOffsetMs(at: number, timeZone: string | undefined): number {
  const clock = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  const parts = Object.fromEntries(clock.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}
