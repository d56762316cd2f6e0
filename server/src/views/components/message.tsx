import type { JSX } from 'preact';
import { manyLines } from '../plain.ts';
import { useWords } from './words-context.ts';

const comfortable = 400;

/** The sender's words as they were written. A long message keeps its end folded, so that the files stay in sight. */
export function Message({ children }: { children: string }): JSX.Element | null {
  const words = useWords();
  const [start, rest] = split(manyLines(children));
  if (start === '') return null;
  return (
    <blockquote class="message" aria-label={words.t('common.message')}>
      <p dir="auto">{start}</p>
      {rest && (
        <details>
          <summary>{words.t('download.rest')}</summary>
          <p dir="auto">{rest}</p>
        </details>
      )}
    </blockquote>
  );
}

/** At the end of a paragraph, a line or a sentence, else of a word, never inside of a character. */
function split(message: string): [start: string, rest: string] {
  if (message.length <= comfortable * 1.5) return [message, ''];
  const head = message.slice(0, comfortable);
  const cut = ['\n\n', '\n', '. ', ' ']
    .map((end) => head.lastIndexOf(end) + end.trimEnd().length)
    .find((at) => at > comfortable / 2);
  const at = cut ?? (Array.from(new Intl.Segmenter().segment(head)).at(-1)?.index || comfortable);
  return [message.slice(0, at).trimEnd(), message.slice(at).trim()];
}
