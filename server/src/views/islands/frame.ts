import './gesture.ts';
import './local-times.ts';

const menus = document.querySelectorAll<HTMLDetailsElement>('details[data-menu]');

/** Closes menus as the browser closes its own: by Escape, or by a press elsewhere. */
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  for (const menu of menus) {
    if (!menu.open) continue;
    menu.open = false;
    if (menu.contains(document.activeElement)) menu.querySelector('summary')?.focus();
  }
});
document.addEventListener('click', (event) => {
  for (const menu of menus) if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
});

/** Says that the network is gone, before somebody sends a form and loses what they wrote. */
function showConnection(): void {
  for (const banner of document.querySelectorAll<HTMLElement>('[data-shown-offline]')) banner.hidden = navigator.onLine;
}

addEventListener('online', showConnection);
addEventListener('offline', showConnection);
showConnection();

/** Presses or focuses what names the key, unless the person is typing or means a shortcut of the browser. */
document.addEventListener('keydown', (event) => {
  const { target, key } = event;
  const isTyping = target instanceof Element && target.closest('input, select, textarea, [contenteditable], dialog');
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const named = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key.toLowerCase())}"]`);
  if (!named) return;
  event.preventDefault();
  if (named instanceof HTMLInputElement) named.focus();
  else named.click();
});
