import type { JSX } from 'preact';
import { manyLines, splitMessage } from '../../../present/texts/plain.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';

const comfortable = 400;

/** The sender's message as written. The end of a long one is folded, so that the files stay in sight. */
export function Message({ children }: { children: string }): JSX.Element | null {
  const translator = useTranslator();
  const message = manyLines(children);
  const [start, rest] = message.length > comfortable * 1.5 ? splitMessage(message, comfortable) : [message, ''];
  if (start === '') return null;
  return (
    <blockquote class="message" aria-label={translator.t('common.message')}>
      <p dir="auto">{start}</p>
      {rest && (
        <details>
          <summary>{translator.t('download.rest')}</summary>
          <p dir="auto">{rest}</p>
        </details>
      )}
    </blockquote>
  );
}
