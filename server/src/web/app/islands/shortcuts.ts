/** Whether the key belongs to a field or a dialog, or to a shortcut of the browser. */
function isForeign(event: KeyboardEvent): boolean {
  const { target } = event;
  const isTyping = target instanceof Element && target.closest('input, select, textarea, [contenteditable], dialog');
  return Boolean(isTyping) || event.ctrlKey || event.metaKey || event.altKey || event.isComposing;
}

/** The link that opens each row of a list. */
function findRowLinks(): HTMLAnchorElement[] {
  return [...document.querySelectorAll('main [data-row]')].flatMap((row) => {
    const link = row.querySelector<HTMLAnchorElement>('a[href]');
    return link ? [link] : [];
  });
}

/** Moves the focus to the next or previous row, or to the first one if it is in none. */
function moveToRow(step: 1 | -1): boolean {
  const links = findRowLinks();
  const row = document.activeElement?.closest('[data-row]');
  const current = row ? links.findIndex((link) => row.contains(link)) : -1;
  const next = current < 0 ? links[0] : links[current + step];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
  return next !== undefined;
}

function openRow(): boolean {
  const row = document.activeElement?.closest('main [data-row]');
  const link = row?.querySelector<HTMLAnchorElement>('a[href]');
  link?.click();
  return link !== undefined && link !== null;
}

const rowKeys: Readonly<Record<string, () => boolean>> = {
  j: () => moveToRow(1),
  k: () => moveToRow(-1),
  o: openRow,
};

/** Presses or focuses what names the key. */
function pressNamed(key: string): boolean {
  const named = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
  if (named instanceof HTMLInputElement) named.focus();
  else named?.click();
  return named !== null;
}

/** Whether the person has switched single keys off. */
const areOff = () => document.querySelector('[data-shortcuts="off"]') !== null;

document.addEventListener('keydown', (event) => {
  if (isForeign(event) || areOff()) return;
  const key = event.key.toLowerCase();
  if ((rowKeys[key] ?? (() => pressNamed(key)))()) event.preventDefault();
});

/** Opens a dialog in browsers that do not know the attribute yet. */
document.addEventListener('click', ({ target }) => {
  if ('commandForElement' in HTMLButtonElement.prototype) return;
  const button = target instanceof Element ? target.closest('button[commandfor]') : null;
  const dialog = document.getElementById(button?.getAttribute('commandfor') ?? '');
  if (dialog instanceof HTMLDialogElement && !dialog.open) dialog.showModal();
});
