import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listLifetimes, readLifetime } from '../send/lifetime-choices.ts';
import { readDeadline } from '../sent/deadlines.ts';
import { findEndOfDay, toIsoDay } from './end-of-day.ts';

const dayMs = 86_400_000;
const zones = Intl.supportedValuesOf('timeZone');

test.each([
  // Sydney puts the clock forward at 2:00 on 4 October, and back at 3:00 on 5 April.
  ['2026-10-03', 'Australia/Sydney', '2026-10-03T13:59:59.000Z'],
  ['2026-10-04', 'Australia/Sydney', '2026-10-04T12:59:59.000Z'],
  ['2026-04-04', 'Australia/Sydney', '2026-04-04T12:59:59.000Z'],
  ['2026-04-05', 'Australia/Sydney', '2026-04-05T13:59:59.000Z'],
  ['2026-09-26', 'Pacific/Auckland', '2026-09-26T11:59:59.000Z'],
  ['2026-09-27', 'Pacific/Auckland', '2026-09-27T10:59:59.000Z'],
  // In Greenland, the last hour of a Saturday is missing in spring, and comes twice in autumn.
  ['2026-03-28', 'America/Nuuk', '2026-03-29T00:59:59.000Z'],
  ['2026-10-24', 'America/Nuuk', '2026-10-25T01:59:59.000Z'],
  ['2026-12-31', undefined, new Date(2026, 11, 31, 23, 59, 59).toISOString()],
])('%s ends in %s at %s, wherever it is chosen', (day, timeZone, end) => {
  expect(findEndOfDay(day, timeZone)?.toISOString()).toBe(end);
  const now = new Date(Date.parse(`${day}T00:00:00Z`) - 5 * dayMs);
  const form = new URLSearchParams({ date: day });
  const lifetime = { unitSeconds: 86_400, min: 1, max: 30, only: null, default: 7 };
  expect(readDeadline(form, { lifetime, now, timeZone: timeZone ?? '' })?.toISOString()).toBe(end);
  const seconds = (Date.parse(end) - now.getTime()) / 1000;
  expect(readLifetime({ days: '', until: day }, lifetime, now, timeZone)).toEqual({ expiresIn: seconds });
});

test('a day ends with its last second in every time zone', () => {
  const check = (day: string, timeZone: string) => {
    const end = findEndOfDay(day, timeZone);
    if (!end) throw new Error(`${day} does not end in ${timeZone}`);
    expect([toIsoDay(end, timeZone), end.getMilliseconds()], `${day} in ${timeZone}`).toEqual([day, 0]);
    expect(toIsoDay(end.getTime() + 1000, timeZone) > day, `${day} in ${timeZone}`).toBe(true);
  };
  for (const timeZone of zones) for (const day of findChanges(timeZone)) check(day, timeZone);
  const days = fc.integer({ min: 20_000, max: 40_000 }).map((day) => new Date(day * dayMs).toISOString().slice(0, 10));
  fc.assert(fc.property(days, fc.constantFrom(...zones), check), { numRuns: 300 });
});

test('the last day that is offered can be chosen, at every time and in every time zone', () => {
  const rule = { unitSeconds: 86_400, min: 1, max: 30, only: null, default: 7 };
  const longestMs = rule.max * dayMs;
  const check = (latestMs: number, timeZone: string) => {
    const now = new Date(latestMs - longestMs);
    const until = listLifetimes(rule, now, { locale: 'en' }, timeZone).range?.max ?? '';
    const seconds = readLifetime({ days: '', until }, rule, now, timeZone)?.expiresIn ?? Number.NaN;
    const label = `${new Date(latestMs).toISOString()} in ${timeZone}`;
    expect(seconds, label).toBeLessThanOrEqual(longestMs / 1000);
    expect(toIsoDay(now.getTime() + seconds * 1000, timeZone), label).toBe(until);
  };
  // The day that ends summer in Berlin has 25 hours.
  check(Date.parse('2026-10-24T22:30:00Z'), 'Europe/Berlin');
  // Around each change of the clock, a minute after the day begins, when nearly all of it is later than the longest lifetime.
  const checkChanges = (timeZone: string) => {
    for (const day of findChanges(timeZone)) {
      const end = findEndOfDay(day, timeZone);
      if (end) check(end.getTime() + 61_000, timeZone);
    }
  };
  fc.assert(fc.property(fc.constantFrom(...zones), checkChanges), { numRuns: 30 });
  const times = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2040, 0) });
  fc.assert(fc.property(times, fc.constantFrom(...zones), check), { numRuns: 200 });
});

/** The days before, at and after each change of the clock in a year. */
function findChanges(timeZone: string): string[] {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const offset = (at: number) => format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value;
  const start = Date.UTC(2027, 0, 1);
  const found: string[] = [];
  for (let month = 0; month < 12; month += 1) {
    let [from, to] = [start + month * 31 * dayMs, start + (month + 1) * 31 * dayMs];
    if (offset(from) === offset(to)) continue;
    while (to - from > dayMs) {
      const middle = from + Math.floor((to - from) / 2 / dayMs) * dayMs;
      if (offset(from) === offset(middle)) from = middle;
      else to = middle;
    }
    for (const at of [from - dayMs, from, to, to + dayMs]) found.push(toIsoDay(at, 'UTC'));
  }
  return found;
}

test.each(['2026-02-30', '2026-13-01', '2026-1-1', '', 'x', '2026-11-23T00:00'])('%j is no day', (day) => {
  expect(findEndOfDay(day, 'Europe/Berlin')).toBeUndefined();
});
