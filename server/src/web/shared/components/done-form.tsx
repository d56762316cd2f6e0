import type { JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';

/** For a device that others also use: ends the session that the link opened here. */
export function DoneForm({ action }: { action: string }): JSX.Element {
  const translator = useTranslator();
  return (
    <form method="post" action={action} class="done-here">
      <button type="submit" class="link-button small">
        {translator.t('done.button')}
      </button>
    </form>
  );
}
