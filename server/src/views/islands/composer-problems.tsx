import { Icon } from '../components/icon.tsx';
import type { ViewTranslator } from '../components/translator-context.ts';
import { drawPart } from './draw-part.tsx';

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
    if (text !== '') place?.scrollIntoView({ block: 'nearest' });
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
      for (const place of places) drawPart(translator, null, place);
    },
  };
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
