import type { JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';

/**
 * A time in the zone that the reader chose, or in the operator's, which it names. The script `local-times.ts` shows it in
 * that of the browser, unless the reader chose one. For a deadline, the script also shows how far away it is, on a line that is reserved for it, so that nothing moves.
 */
export function Moment({ at, show = 'date' }: { at: Date; show?: 'date' | 'deadline' | 'time' }): JSX.Element {
  const translator = useTranslator();
  const time = { dateTime: at.toISOString(), 'data-locale': translator.locale, 'data-zone': translator.chosenZone };
  return (
    <>
      <time {...time} data-show={show === 'time' ? 'time' : 'date'}>
        {show === 'time' ? translator.formatTime(at) : translator.formatShortDate(at)}
      </time>
      {show === 'deadline' && <time {...time} data-show="distance" class="distance quiet" />}
    </>
  );
}

/**
 * A time in a list of the app, as short as it can be, in the zone that the person chose. The whole of it is in its title.
 */
export function BriefMoment({
  at,
  now,
  show = 'day',
}: {
  at: Date;
  now: Date;
  show?: 'day' | 'day-time';
}): JSX.Element {
  const translator = useTranslator();
  const text = show === 'day' ? translator.formatDay(at, now) : translator.formatDayTime(at, now);
  return (
    <time dateTime={at.toISOString()} title={translator.formatShortDate(at)}>
      {text}
    </time>
  );
}
