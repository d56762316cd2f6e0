/** RFC 9110, 10.2.3: seconds, or a time, which is compared with the response's own Date because clocks differ. */
export function retryAfterSeconds(
  header: string | string[] | undefined,
  date: string | string[] | undefined,
): number | undefined {
  if (typeof header !== 'string') return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const seconds = (Date.parse(header) - (typeof date === 'string' ? Date.parse(date) : Number.NaN)) / 1000;
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) : undefined;
}
