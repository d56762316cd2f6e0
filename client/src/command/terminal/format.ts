const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** Like `1.4 MB`, in powers of 1000. */
export function formatSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // 999.95 would be shown as 1000.0
  while (value >= (unit === 0 ? 1000 : 999.95) && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** Like `1,000`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en');
}

/** Like `1.2 of 4.0 GB`, in the unit of the total. */
export function formatShare(bytes: number, totalBytes: number): string {
  const total = formatSize(totalBytes);
  const unit = units.indexOf(total.split(' ')[1] ?? '');
  const part = bytes / 1000 ** unit;
  return `${unit === 0 ? Math.round(part) : part.toFixed(1)} of ${total}`;
}

/** Like `38 MB/s` or `1.2 MB/s`. */
export function formatSpeed(bytesPerSecond: number): string {
  const [value = '', unit] = formatSize(bytesPerSecond).split(' ');
  return `${value.length > 3 ? Math.round(Number(value)) : value} ${unit}/s`;
}

/** Like `1 h 05 min`, `2 min` or `9 s`, rounded up. */
export function formatDuration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.ceil(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${padTwo(minutes % 60)} min`;
}

/** In local time. */
export function formatDate(date: Date): string {
  const day = `${date.getFullYear()}-${padTwo(date.getMonth() + 1)}-${padTwo(date.getDate())}`;
  return `${day} ${padTwo(date.getHours())}:${padTwo(date.getMinutes())}`;
}

export function formatTime(time: string): string {
  return formatDate(new Date(time));
}

/** Formats the times of the API in a sentence like all other times. */
export function toLocalTimes(text: string): string {
  return text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, formatTime);
}

function padTwo(value: number): string {
  return String(value).padStart(2, '0');
}

/** Like `1 file` or `2 files`. */
export function pluralize(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

const lifetimeUnits = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Returns the largest unit of which all the lifetimes, in seconds, are multiples. */
export function chooseLifetimeUnit(lifetimes: readonly number[]): (typeof lifetimeUnits)[number] {
  return lifetimeUnits.find(([, unit]) => lifetimes.every((value) => value % unit === 0)) ?? lifetimeUnits[3];
}

/** Like `7 days` or `1 hour`. */
export function formatLifetime(seconds: number): string {
  const [unit, unitSeconds] = chooseLifetimeUnit([seconds]);
  return pluralize(seconds / unitSeconds, unit);
}
