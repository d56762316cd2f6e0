const find = <Found extends Element>(event: Event, selector: string) =>
  event.target instanceof Element ? event.target.closest<Found & HTMLElement>(selector) : null;

/** Helps with forms and values. Listens to the document, so that parts of the page that come later work as well. */
document.addEventListener('click', (event) => {
  const reveal = find<HTMLButtonElement>(event, 'button[data-reveals]');
  if (reveal) toggleReveal(reveal);
  const copy = find<HTMLButtonElement>(event, 'button[data-copy]');
  if (copy) void copyValue(copy);
  if (find(event, 'button[data-print]')) print();
});

/** Shows or hides a password to the person who types it. */
function toggleReveal(button: HTMLElement): void {
  const field = document.querySelector<HTMLInputElement>(`#${button.dataset['reveals']}`);
  if (!field) return;
  const isShown = field.type === 'password';
  field.type = isShown ? 'text' : 'password';
  button.ariaPressed = String(isShown);
}

async function copyValue(button: HTMLElement): Promise<void> {
  await navigator.clipboard.writeText(button.dataset['copy'] ?? '');
  const label = button.querySelector('span');
  if (label) label.textContent = button.dataset['copiedLabel'] ?? '';
}

/** The stylesheet shows what only a script can do; without one, a text can be selected and the browser's menu prints. */
document.documentElement.classList.add('can-print');
if ('clipboard' in navigator) document.documentElement.classList.add('can-copy');

for (const field of document.querySelectorAll<HTMLInputElement>('input[data-time-zone]')) {
  field.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
}

// Closes a shown password before the browser stores or sends it as a text.
document.addEventListener('submit', () => {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-reveals][aria-pressed=true]')) {
    toggleReveal(button);
  }
});
