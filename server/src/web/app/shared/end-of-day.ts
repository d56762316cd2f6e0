const dayMs = 86_400_000;

/** The day of a time in a time zone, such as `2026-11-23`. */
export function toIsoDay(at: Date | number, timeZone: string | undefined): string {
  return new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit', timeZone }).format(at);
}

/** The last second of a day such as `2026-11-23`. Undefined if there is no such day. */
export function findEndOfDay(day: string, timeZone: string | undefined): Date | undefined {
  const utc = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T23:59:59Z`) : Number.NaN;
  if (Number.isNaN(utc)) return undefined;
  // The end of the day lies between these times, and so does any change of the clock that matters to it. Where the clock is
  // put back at midnight, the last hour comes twice; where it is put forward, the last hour is missing.
  const ends = [utc - dayMs, utc + dayMs]
    .map((near) => utc - findOffsetMs(near, timeZone))
    .filter((end) => toIsoDay(end, timeZone) === day);
  return ends.length === 0 ? undefined : new Date(Math.max(...ends));
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
