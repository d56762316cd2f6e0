import type { JSX } from 'preact';
import { useWords } from './words-context.ts';

/** For a device that others use too: ends what the link opened here. */
export function DoneForm({ action }: { action: string }): JSX.Element {
  const words = useWords();
  return (
    <form method="post" action={action} class="done-here">
      <p class="quiet small">{words.t('done.note')}</p>
      <button class="button button-quiet" type="submit">
        {words.t('done.button')}
      </button>
    </form>
  );
}
