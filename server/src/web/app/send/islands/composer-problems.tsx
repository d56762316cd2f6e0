import { render } from 'preact';
import type { ViewTranslator } from '../../../../present/texts/translator-context.ts';
import { Icon } from '../../../shared/components/icon.tsx';
import { drawPart } from '../../islands/draw-part.tsx';

export interface ComposerProblems {
  /** Shows a text at a field, or at the top of the form if the name is empty. An empty text removes it. */
  show(field: string, text: string): void;
  clear(): void;
}

/** Takes over the places in which the server says what is wrong with the form. */
export function mountProblems(form: HTMLFormElement, translator: ViewTranslator): ComposerProblems {
  const places = Array.from(form.querySelectorAll<HTMLElement>('[id$=-problem]'));
  const show = (field: string, text: string) => {
    const id = field === 'phone' ? 'second_factor' : field || 'composer';
    const place = places.find((each) => each.id === `${id}-problem`) ?? null;
    drawPart(translator, text === '' ? null : field === '' ? toBanner(text) : toLine(text), place);
  };
  // The server draws them as text, which a script may replace only if it has drawn it.
  for (const place of places) {
    const text = place.textContent ?? '';
    place.replaceChildren();
    const field = place.id.replace(/-problem$/, '');
    if (text !== '') show(field === 'composer' ? '' : field, text);
  }
  return {
    show,
    clear() {
      for (const place of places) render(null, place);
    },
  };
}

/** Moves the focus to the field with an error, and shows all of its row between the bars. */
export function focusFault(field: string, id?: string): void {
  const row = document.querySelector<HTMLElement>(`[data-row="${field === 'phone' ? 'second_factor' : field}"]`);
  const target =
    (id === undefined ? null : document.getElementById(id)) ??
    row?.querySelector<HTMLElement>('[aria-invalid=true]:not([hidden])') ??
    row?.querySelector<HTMLElement>('input:not([hidden], [type=hidden], [type=file]), textarea:not([hidden]), button');
  target?.focus({ preventScroll: true });
  (id === undefined ? row : target)?.scrollIntoView({ block: 'center' });
}

const toBanner = (text: string) => (
  <div class="banner tone-bad" role="alert">
    <Icon name="alert" />
    <p class="banner-text">{text}</p>
  </div>
);

const toLine = (text: string) => (
  <>
    <Icon name="alert" small />
    <span role="alert">{text}</span>
  </>
);
