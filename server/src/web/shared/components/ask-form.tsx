import type { JSX } from 'preact';
import { isolate } from '../../../present/texts/plain.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Button } from './button.tsx';

/** The form with which a receiver asks the sender for more time, or for a new link. */
export interface Asking {
  readonly question: 'more_time' | 'send_again';
  /** The name of the sender. */
  readonly sender: string;
  readonly asked: boolean;
  /** Whether the sender ended the link, who then decides about another one. */
  readonly isRevoked?: boolean | undefined;
  readonly action: string;
  /** The name of the hidden field in which the page's script records that a person pressed the button. */
  readonly gesture: string;
}

/** A link that has expired leaves nothing else to do on its page. */
const texts = {
  more_time: {
    button: 'ask.more_time.button',
    note: 'ask.more_time.note',
    asked: 'ask.more_time.asked',
    look: 'quiet',
  },
  send_again: {
    button: 'ask.send_again.button',
    note: 'ask.send_again.note',
    asked: 'ask.send_again.asked',
    look: 'main',
  },
} as const;

export function AskForm({ question, asked, isRevoked, action, gesture, ...props }: Asking): JSX.Element {
  const translator = useTranslator();
  const sender = isolate(props.sender);
  const { button, note, look, ...said } = texts[question];
  if (asked) return <p class="quiet">{translator.t(said.asked, { sender })}</p>;
  return (
    <form method="post" action={action} data-gesture={gesture} class={look === 'main' ? 'ask stack' : 'ask'}>
      <input type="hidden" name={gesture} value="" />
      <Button look={look}>{translator.t(button, { sender })}</Button>
      <p class="quiet small">{translator.t(isRevoked ? 'ask.send_again.noteRevoked' : note)}</p>
    </form>
  );
}
