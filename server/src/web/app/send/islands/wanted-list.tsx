import type { ViewTranslator } from '../../../../present/texts/translator-context.ts';
import { drawPart } from '../../islands/draw-part.tsx';
import { WantedFields } from '../wanted-fields.tsx';

export interface MountedWanted {
  readonly names: readonly string[];
}

/** Keeps one empty field below the wanted files, and lets a person remove each. Undefined if the form has none. */
export function mountWanted(
  form: HTMLFormElement,
  translator: ViewTranslator,
  onChange: () => void,
): MountedWanted | undefined {
  const list = form.querySelector<HTMLElement>('#wanted-fields');
  if (!list) return undefined;
  const max = Number(list.dataset['max']);
  const read = () => Array.from(form.querySelectorAll<HTMLInputElement>('[name=wanted]'), ({ value }) => value);
  let names = read().filter((name) => name.trim() !== '');
  const root = document.createElement('div');
  list.replaceWith(root);
  const draw = () => {
    drawPart(
      translator,
      <WantedFields
        wanted={names.map((name) => ({ name, note: '' }))}
        max={max}
        spare={1}
        onRemove={(index) => {
          names = names.toSpliced(index, 1);
          draw();
          onChange();
          root.querySelectorAll<HTMLInputElement>('[name=wanted]')[index]?.focus();
        }}
      />,
      root,
    );
  };
  root.addEventListener('input', () => {
    const typed = read();
    // An empty field in the middle stays while one types.
    while (typed.at(-1)?.trim() === '') typed.pop();
    names = typed;
    draw();
  });
  // Enter goes on to the next wanted file.
  root.addEventListener('keydown', (event) => {
    const { target } = event;
    if (event.key !== 'Enter' || event.isComposing || !(target instanceof HTMLInputElement)) return;
    event.preventDefault();
    const fields = Array.from(root.querySelectorAll<HTMLInputElement>('[name=wanted]'));
    fields[fields.indexOf(target) + 1]?.focus();
  });
  draw();
  return {
    get names() {
      return names.map((name) => name.trim()).filter((name) => name !== '');
    },
  };
}
