import type { JSX } from 'preact';
import { Button } from './button.tsx';
import { useWords } from './words-context.ts';

/** For a device that others also use: ends the session that the link opened here. */
export function DoneForm({ action }: { action: string }): JSX.Element {
  const words = useWords();
  return (
    <form method="post" action={action} class="done-here">
      <p class="quiet small">{words.t('done.note')}</p>
      <Button>{words.t('done.button')}</Button>
    </form>
  );
}
