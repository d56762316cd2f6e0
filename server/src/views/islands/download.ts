import './gesture.ts';
import { DeliveryWatch } from './delivery-watch.ts';

const list = document.querySelector<HTMLElement>('[data-delivered]');
if (list) watchDownloads(list, list.dataset['delivered'] ?? '');
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) offerCopy(button);

/** Shows "Downloaded" beside a file when all of it has been sent, without a reload. */
function watchDownloads(files: HTMLElement, endpoint: string): void {
  const status = document.querySelector('[role=status]');
  const watch = new DeliveryWatch({
    async delivered() {
      const response = await fetch(endpoint, { headers: { accept: 'application/json' } });
      if (response.status >= 400 && response.status < 500) return 'ended';
      if (!response.ok) throw new Error(`The server responded with ${response.status}.`);
      return (await response.json()) as string[];
    },
    show(ids) {
      const shown = new Set(ids);
      const rows = [...files.querySelectorAll<HTMLElement>('[data-file]')];
      for (const row of rows) {
        const done = row.querySelector<HTMLElement>('.done');
        if (!done?.hidden || !shown.has(row.dataset['file'] ?? '')) continue;
        done.hidden = false;
        if (status) status.textContent = `${row.querySelector('.file-name')?.textContent}: ${done.textContent}`;
      }
      return rows.filter((row) => !shown.has(row.dataset['file'] ?? '')).length;
    },
    after: (milliseconds, then) => void setTimeout(then, milliseconds),
  });
  // A press before this script was loaded was missed, but the browser remembers it.
  let hasBegun = navigator.userActivation?.hasBeenActive ?? false;
  if (hasBegun) watch.begin();
  document.addEventListener('click', (event) => {
    if (!(event.target instanceof Element) || !event.target.closest('a[download]')) return;
    hasBegun = true;
    watch.begin();
  });
  document.addEventListener('visibilitychange', () => {
    if (hasBegun && !document.hidden) watch.begin();
  });
}

/** Shows the button only if there is a clipboard; without one, the text can still be selected. */
function offerCopy(button: HTMLButtonElement): void {
  if (!('clipboard' in navigator)) return;
  button.hidden = false;
  const copy = async () => {
    await navigator.clipboard.writeText(button.dataset['copy'] ?? '');
    button.textContent = button.dataset['copied'] ?? '';
  };
  button.addEventListener('click', () => void copy());
}
