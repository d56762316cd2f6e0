import type { JSX } from 'preact';
import { Button } from './button.tsx';
import { useTranslator } from './translator-context.ts';

/** For a device that others also use: ends the session that the link opened here. */
export function DoneForm({ action }: { action: string }): JSX.Element {
  const translator = useTranslator();
  return (
    <form method="post" action={action} class="done-here">
      <p class="quiet small">{translator.t('done.note')}</p>
      <Button>{translator.t('done.button')}</Button>
    </form>
  );
}
