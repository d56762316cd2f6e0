import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Translator } from './translator.ts';

/** The translator for components, both on the server and in the browser. */
export type ViewTranslator = Omit<Translator, 'texts'>;

export const TranslatorContext = createContext<ViewTranslator | undefined>(undefined);

export function useTranslator(): ViewTranslator {
  const translator = useContext(TranslatorContext);
  if (!translator) throw new Error('This component is rendered outside of a page.');
  return translator;
}
