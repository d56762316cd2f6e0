const navigation = document.querySelector<HTMLElement>('.reference-navigation');
if (navigation) offerFilter(navigation);
for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copies]')) offerCopy(button);

/**
 * Filters the pages in the navigation while a person types. The arrow keys move through those that are left, Enter opens
 * the first, and Escape shows all again.
 */
function offerFilter(pages: HTMLElement): void {
  const field = pages.querySelector<HTMLInputElement>('input[type=search]');
  const result = pages.querySelector<HTMLElement>('[role=status]');
  if (!field || !result) return;
  const groups = [...pages.querySelectorAll<HTMLDetailsElement>('.reference-group')].map((element) => ({
    element,
    wasOpen: element.open,
    title: element.querySelector('summary')?.textContent ?? '',
    items: [...element.querySelectorAll<HTMLElement>('li')],
  }));
  const listShown = () => [...pages.querySelectorAll<HTMLAnchorElement>('li:not([hidden]) a')];

  const filter = (): void => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { element, wasOpen, title, items } of groups) {
      const matches = items.filter((item) => {
        const text = `${title} ${item.textContent} ${item.querySelector('a')?.pathname}`.toLowerCase();
        return words.every((word) => text.includes(word));
      });
      for (const item of items) item.hidden = !matches.includes(item);
      element.hidden = matches.length === 0;
      element.open = words.length > 0 || wasOpen;
      count += matches.length;
    }
    result.textContent = words.length === 0 ? '' : count === 1 ? '1 page' : `${count} pages`;
  };

  field.addEventListener('input', filter);
  pages.addEventListener('keydown', (event) => {
    if (field.value === '') return;
    const shown = listShown();
    const at = shown.indexOf(document.activeElement as HTMLAnchorElement);
    if (event.key === 'Escape') {
      field.value = '';
      field.focus();
      filter();
    } else if (event.key === 'Enter' && event.target === field) {
      shown[0]?.click();
    } else if (event.key === 'ArrowDown') {
      shown[Math.min(at + 1, shown.length - 1)]?.focus();
    } else if (event.key === 'ArrowUp' && at >= 0) {
      (shown[at - 1] ?? field).focus();
    } else {
      return;
    }
    event.preventDefault();
  });
  // A browser restores what was typed when a person comes back.
  filter();
}

/** Shows the button only if there is a clipboard; without one, the text can still be selected. */
function offerCopy(button: HTMLButtonElement): void {
  if (!('clipboard' in navigator)) return;
  button.hidden = false;
  const copy = async () => {
    await navigator.clipboard.writeText(button.closest('figure')?.querySelector('pre')?.textContent ?? '');
    button.textContent = 'Copied';
  };
  button.addEventListener('click', () => void copy());
}
