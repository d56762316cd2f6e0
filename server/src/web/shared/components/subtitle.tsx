import type { JSX } from 'preact';
import { oneLine } from '../../../present/texts/plain.ts';

/** The title that a sender has given, below the heading of a page. */
export function Subtitle({ children }: { children: string }): JSX.Element {
  return (
    <p class="subtitle" dir="auto">
      {oneLine(children)}
    </p>
  );
}
