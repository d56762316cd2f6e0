import type { JSX } from 'preact';
import { useWords } from './words-context.ts';

/**
 * A time in the operator's time zone, which it names. The script `local-times.ts` shows it in the reader's own. Of a
 * deadline, the script also shows how far away it is, on a line that is reserved for it, so that nothing moves.
 */
export function Moment({ at, show = 'date' }: { at: Date; show?: 'date' | 'deadline' | 'time' }): JSX.Element {
  const words = useWords();
  const time = { dateTime: at.toISOString(), 'data-locale': words.locale };
  return (
    <>
      <time {...time} data-show={show === 'time' ? 'time' : 'date'}>
        {show === 'time' ? words.formatTime(at) : words.formatDate(at)}
      </time>
      {show === 'deadline' && <time {...time} data-show="distance" class="distance quiet" />}
    </>
  );
}
