import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Words } from '../words.ts';

/** The words for a component: the same on the server and in the browser. */
export type ViewWords = Omit<Words, 'texts'>;

export const WordsContext = createContext<ViewWords | undefined>(undefined);

export function useWords(): ViewWords {
  const words = useContext(WordsContext);
  if (!words) throw new Error('This component is rendered outside of a page.');
  return words;
}
