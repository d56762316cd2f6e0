import { isChanged } from './is-changed.ts';

/** Says in the bar of a form which fields differ from what is saved. */
function updateBar(form: HTMLFormElement, bar: HTMLElement): void {
  const changed = [...form.elements].filter(isChanged) as HTMLInputElement[];
  const names = new Set(changed.map(({ labels }) => labels?.[0]?.textContent ?? '').filter((name) => name !== ''));
  const isOpen = names.size > 0;
  bar.classList.toggle('save-bar-open', isOpen);
  for (const part of bar.querySelectorAll<HTMLElement>('p, [type=reset]')) part.hidden = !isOpen;
  const list = bar.querySelector('strong');
  if (list) list.textContent = new Intl.ListFormat(document.documentElement.lang).format(names);
}

for (const bar of document.querySelectorAll<HTMLElement>('.save-bar')) {
  const form = bar.closest('form');
  if (!form) continue;
  const update = () => updateBar(form, bar);
  form.addEventListener('input', update);
  // The fields have their values back after the event.
  form.addEventListener('reset', () => setTimeout(update));
  // A browser may put back what was entered before a reload.
  window.addEventListener('pageshow', update);
}
