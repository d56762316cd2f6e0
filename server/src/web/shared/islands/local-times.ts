import { formatters } from '../../../present/texts/format.ts';

/** Shows every time of the page in the zone that the reader chose, or in that of the browser, and how far away a deadline is. */
export function showLocalTimes(root: ParentNode): void {
  for (const time of root.querySelectorAll<HTMLTimeElement>('time[data-locale]')) showLocalTime(time);
}

function showLocalTime(time: HTMLTimeElement): void {
  const { locale = 'en', zone, show } = time.dataset;
  const { formatDistance, formatShortDate, formatTime } = formatters(locale, zone);
  const at = new Date(time.dateTime);
  if (show === 'time') time.textContent = formatTime(at);
  else if (show === 'distance') time.textContent = formatDistance(at, new Date());
  else time.textContent = formatShortDate(at);
}

showLocalTimes(document);
