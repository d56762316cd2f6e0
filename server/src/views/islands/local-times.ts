import { formatters } from '../format.ts';

/** Shows every time of the page in the reader's own time zone, and how far away a deadline is. */
export function showLocalTimes(root: ParentNode): void {
  for (const time of root.querySelectorAll<HTMLTimeElement>('time[data-locale]')) showLocalTime(time);
}

function showLocalTime(time: HTMLTimeElement): void {
  const { locale = 'en', show } = time.dataset;
  const { formatDistance, formatShortDate, formatTime } = formatters(locale);
  const at = new Date(time.dateTime);
  if (show === 'time') time.textContent = formatTime(at);
  else if (show === 'distance') time.textContent = formatDistance(at, new Date());
  else time.textContent = formatShortDate(at);
}

showLocalTimes(document);
