import '../../shared/islands/gesture.ts';
import '../../shared/islands/local-times.ts';
import './copy-link.ts';
import './filters.ts';
import './form-helpers.ts';
import './live.ts';
import './shortcuts.ts';

const findOpenMenus = () => document.querySelectorAll<HTMLDetailsElement>('details[data-menu][open]');

/** Closes menus as the browser closes its own: by Escape, or by a press elsewhere. */
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  for (const menu of findOpenMenus()) {
    menu.open = false;
    if (menu.contains(document.activeElement)) menu.querySelector('summary')?.focus();
  }
});
document.addEventListener('click', (event) => {
  for (const menu of findOpenMenus()) {
    if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
  }
});

/** Long enough to read it twice. */
const toastMs = 10_000;

/** Takes away what has been read, unless it offers something to do or the pointer is on it. */
for (const toast of document.querySelectorAll('.toast:not(:has(a, button))')) {
  const timer = setInterval(() => {
    if (toast.matches(':hover')) return;
    clearInterval(timer);
    toast.remove();
  }, toastMs);
}
