import '../../shared/islands/gesture.ts';
import { showLocalTimes } from '../../shared/islands/local-times.ts';
import { DeliveryWatch } from './delivery-watch.ts';

const list = document.querySelector<HTMLElement>('[data-delivered]');
if (list) watchDownloads(list, list.dataset['delivered'] ?? '');
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) offerCopy(button);

/** Shows "Downloaded" beside a file when all of it has been sent, without a reload. */
function watchDownloads(files: HTMLElement, endpoint: string): void {
  const status = document.querySelector('[role=status]');
  const template = files.querySelector('template');
  const rows = [...files.querySelectorAll<HTMLElement>('[data-file]')];
  const watch = new DeliveryWatch({
    async delivered() {
      const response = await fetch(endpoint, { headers: { accept: 'application/json' } });
      if (response.status >= 400 && response.status < 500) return 'ended';
      if (!response.ok) throw new Error(`The server responded with ${response.status}.`);
      return (await response.json()) as string[];
    },
    show(ids) {
      const shown = new Set(ids);
      const fresh = rows.filter((row) => !isMarked(row) && shown.has(row.dataset['file'] ?? ''));
      for (const row of fresh) {
        const mark = template?.content.cloneNode(true) ?? '';
        row.querySelector('.file-meta > :first-child')?.after(mark);
        const [name, text] = ['.file-name', '.done'].map((part) => row.querySelector(part)?.textContent);
        if (status) status.textContent = `${name}: ${text}`;
      }
      const done = rows.filter(isMarked).length;
      if (done > 0) showProgress(done);
      markFolders(files);
      if (fresh.length > 0 && done === rows.length) void showCompletion(status);
      return rows.length - done;
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

function isMarked(row: Element): boolean {
  return row.querySelector('.done') !== null;
}

/** Shows the mark of each folder all of whose files are marked. */
function markFolders(files: HTMLElement): void {
  for (const folder of files.querySelectorAll('.folder')) {
    const mark = folder.querySelector<HTMLElement>('summary .done');
    if (mark) mark.hidden = ![...folder.querySelectorAll('.file')].every(isMarked);
  }
}

function showProgress(done: number): void {
  const text = document.querySelector<HTMLElement>('[data-progress]');
  if (!text) return;
  const count = new Intl.NumberFormat(document.documentElement.lang).format(done);
  text.textContent = (text.dataset['progress'] ?? '').replace('#', count);
  text.classList.add('news');
}

/** Shows the subject as the server writes it now; the list stays as it is, with its open folders. */
async function showCompletion(status: Element | null): Promise<void> {
  const response = await fetch(location.href).catch(() => undefined);
  if (!response?.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const [now, before] = [page, document].map((from) => from.querySelector('.ticket-subject'));
  if (!now || !before) return;
  const hadFocus = before.contains(document.activeElement);
  before.replaceWith(now);
  showLocalTimes(now);
  const heading = now.querySelector('h1');
  if (hadFocus) heading?.focus();
  else if (status) status.textContent = heading?.textContent ?? '';
}

/** Shows the button only if there is a clipboard; without one, the text can still be selected. */
function offerCopy(button: HTMLButtonElement): void {
  if (!('clipboard' in navigator)) return;
  button.hidden = false;
  const copy = async () => {
    await navigator.clipboard.writeText(button.previousElementSibling?.textContent ?? '');
    button.textContent = button.closest<HTMLElement>('[data-copied]')?.dataset['copied'] ?? '';
  };
  button.addEventListener('click', () => void copy());
}
