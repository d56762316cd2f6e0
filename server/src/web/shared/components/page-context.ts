import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Operator } from '../../../present/operator.ts';

export interface LanguageLink {
  readonly language: string;
  /** The language's own name for itself. */
  readonly name: string;
  readonly href: string;
}

/** The surroundings of a page, for the frames that draw them themselves. */
export interface PageSurroundings {
  readonly operator: Operator;
  /** The address of the operator's logo. */
  readonly logo?: string | undefined;
  /** The URLs of the page in other languages; if empty, there is no switcher. */
  readonly languageLinks: readonly LanguageLink[];
}

export const PageContext = createContext<PageSurroundings | undefined>(undefined);

export function useSurroundings(): PageSurroundings {
  const surroundings = useContext(PageContext);
  if (!surroundings) throw new Error('This component is rendered outside of a page.');
  return surroundings;
}
