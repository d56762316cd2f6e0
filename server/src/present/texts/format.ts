/** Formats numbers, sizes, dates and durations for the reader's locale. Runs on the server and in the browser. */
export interface Formatters {
  formatNumber(value: number): string;
  /** Powers of 1000, as in `1.4 MB`. */
  formatSize(bytes: number): string;
  /** With its weekday. Always names the time zone: the reader may be in another one. */
  formatDate(date: Date): string;
  /** As `formatDate`, with abbreviated names: for places that have room for two short lines. */
  formatShortDate(date: Date): string;
  /** The time of day alone, for events within minutes. */
  formatTime(date: Date): string;
  /**
   * As short as lists need it, without the time zone: the time if it is today, otherwise “yesterday”, “tomorrow” or the
   * day, with its year if that is another one.
   */
  formatDay(date: Date, now: Date): string;
  /** The group of a list that a day belongs to: today, yesterday, or its month. */
  formatDayGroup(date: Date, now: Date): string;
  /** As `formatDay`, always with the time. */
  formatDayTime(date: Date, now: Date): string;
  /** Rounds the distance from now to the largest unit of which there are at least two: “in 36 hours”, “in 3 days”. */
  formatDistance(date: Date, now: Date): string;
  /** Rounds to the largest fitting unit: seconds, minutes, hours or days. */
  formatDuration(seconds: number): string;
}

const sizeUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;
const durationUnits = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Without a time zone, times are in that of the machine: in a browser, the reader's own. */
export function formatters(locale: string, timeZone?: string): Formatters {
  const number = new Intl.NumberFormat(locale);
  const unit = remember(
    (name: string, unitDisplay: 'short' | 'long', maximumFractionDigits: number) =>
      new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay, maximumFractionDigits }),
  );
  const clock = { hour: 'numeric', minute: '2-digit', timeZone, timeZoneName: 'short' } as const;
  const date = (names: 'long' | 'short') =>
    new Intl.DateTimeFormat(locale, { weekday: names, day: 'numeric', month: names, year: 'numeric', ...clock });
  const longDate = date('long');
  const shortDate = date('short');
  const time = new Intl.DateTimeFormat(locale, clock);
  const brief = remember(
    (year: 'numeric' | '', hour: '2-digit' | '') =>
      new Intl.DateTimeFormat(locale, {
        day: 'numeric',
        month: 'short',
        year: year || undefined,
        hour: hour || undefined,
        minute: hour ? '2-digit' : undefined,
        timeZone,
      }),
  );
  const briefTime = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', timeZone });
  const calendar = new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit', timeZone });
  const nearDay = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const month = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone });
  /** How many midnights are between them. */
  const countDays = (value: Date, now: Date) =>
    (Date.parse(calendar.format(value)) - Date.parse(calendar.format(now))) / 86_400_000;
  const formatBrief = (value: Date, now: Date, withTime: boolean) => {
    const [day, today] = [calendar.format(value), calendar.format(now)];
    const clockTime = briefTime.format(value);
    if (day === today) return clockTime;
    const days = countDays(value, now);
    if (Math.abs(days) === 1) return `${nearDay.format(days, 'day')}${withTime ? `, ${clockTime}` : ''}`;
    const isThisYear = day.slice(0, 4) === today.slice(0, 4);
    return brief(isThisYear ? '' : 'numeric', withTime ? '2-digit' : '').format(value);
  };
  const distance = new Intl.RelativeTimeFormat(locale, { numeric: 'always' });
  return {
    formatNumber: (value) => number.format(value),
    formatSize(bytes) {
      if (bytes < 1000) return unit('byte', 'long', 0).format(bytes);
      let value = bytes;
      let step = 0;
      // 999,950 bytes would round to 1000.0 kB: that is 1 MB.
      while (value >= 999.95 && step < sizeUnits.length - 1) {
        value /= 1000;
        step += 1;
      }
      return unit(sizeUnits[step] ?? 'byte', 'short', 1).format(value);
    },
    formatDate: (value) => longDate.format(value),
    formatShortDate: (value) => shortDate.format(value),
    formatTime: (value) => time.format(value),
    formatDay: (value, now) => formatBrief(value, now, false),
    formatDayTime: (value, now) => formatBrief(value, now, true),
    formatDayGroup(value, now) {
      const days = countDays(value, now);
      return days === 0 || days === -1 ? nearDay.format(days, 'day') : month.format(value);
    },
    formatDistance(value, now) {
      const seconds = (value.getTime() - now.getTime()) / 1000;
      // A deadline is counted in days.
      const longAgo = seconds < 0 ? pastUnits.find(([, size]) => -seconds >= 2 * size) : undefined;
      const [name, length] = longAgo ?? chooseUnit(Math.abs(seconds) / 2);
      return distance.format(Math.round(seconds / length), name);
    },
    formatDuration(seconds) {
      const [name, length] = chooseUnit(seconds);
      return unit(name, 'long', 0).format(Math.max(1, Math.round(seconds / length)));
    },
  };
}

/** Averages: how long ago something was is rounded. */
const pastUnits = [
  ['year', 31_557_600],
  ['month', 2_629_800],
] as const;

function chooseUnit(seconds: number): (typeof durationUnits)[number] {
  return durationUnits.find(([, size]) => seconds >= size) ?? ['second', 1];
}

/** Calls it once for each input: formatters are slow to make and cheap to use. */
export function remember<A extends (string | number)[], R>(make: (...input: A) => R): (...input: A) => R {
  const made = new Map<string, R>();
  return (...input) => {
    const key = input.join(' ');
    let value = made.get(key);
    if (value === undefined) {
      value = make(...input);
      made.set(key, value);
    }
    return value;
  };
}
