/** Shows or hides a password to the person who types it. */
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-reveals]')) {
  button.addEventListener('click', () => {
    const field = document.querySelector<HTMLInputElement>(`#${button.dataset['reveals']}`);
    if (!field) return;
    const isShown = field.type === 'password';
    field.type = isShown ? 'text' : 'password';
    button.ariaPressed = String(isShown);
  });
}

/** Offers what only a script can do; without one, the text can be selected and the browser's menu prints. */
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  if (!('clipboard' in navigator)) continue;
  button.hidden = false;
  const copy = async () => {
    await navigator.clipboard.writeText(button.dataset['copy'] ?? '');
    const label = button.querySelector('span');
    if (label) label.textContent = button.dataset['copied'] ?? '';
  };
  button.addEventListener('click', () => void copy());
}
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-print]')) {
  button.hidden = false;
  button.addEventListener('click', () => print());
}

for (const field of document.querySelectorAll<HTMLInputElement>('input[data-time-zone]')) {
  field.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
}

// Closes a shown password before the browser stores or sends it as a text.
document.addEventListener('submit', () => {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-reveals][aria-pressed=true]')) {
    button.click();
  }
});
