import type { JSX } from 'preact';
import { Button } from './button.tsx';
import { useTranslator } from './translator-context.ts';

/** The form with which a receiver asks the sender for more time, or to send the files again. */
export interface Asking {
  readonly question: 'more_time' | 'send_again';
  readonly asked: boolean;
  readonly action: string;
  /** The name of the hidden field in which the page's script records that a person pressed the button. */
  readonly gesture: string;
}

const texts = {
  more_time: { button: 'ask.more_time.button', asked: 'ask.more_time.asked' },
  send_again: { button: 'ask.send_again.button', asked: 'ask.send_again.asked' },
} as const;

export function AskForm({ question, asked, action, gesture }: Asking): JSX.Element {
  const translator = useTranslator();
  if (asked) return <p class="quiet">{translator.t(texts[question].asked)}</p>;
  return (
    <form method="post" action={action} data-gesture={gesture}>
      <input type="hidden" name={gesture} value="" />
      <Button>{translator.t(texts[question].button)}</Button>
    </form>
  );
}
