import { formatters } from '../format.ts';

/** Shows every time of the page in the reader's own time zone, and how far away a deadline is. */
for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-locale]')) {
  const { locale = 'en', show } = time.dataset;
  const { formatDate, formatDistance, formatTime } = formatters(locale);
  const at = new Date(time.dateTime);
  if (show === 'time') time.textContent = formatTime(at);
  else if (show === 'distance') time.textContent = formatDistance(at, new Date());
  else time.textContent = formatDate(at);
}
