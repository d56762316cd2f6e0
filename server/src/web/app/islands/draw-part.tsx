import { type ComponentChild, render } from 'preact';
import { TranslatorContext, type ViewTranslator } from '../../../present/texts/translator-context.ts';

/** Draws a part of the page, in place of what was drawn there before. */
export function drawPart(translator: ViewTranslator, content: ComponentChild, root: Element | null): void {
  if (root) render(<TranslatorContext.Provider value={translator}>{content}</TranslatorContext.Provider>, root);
}
