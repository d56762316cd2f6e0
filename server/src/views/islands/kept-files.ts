import type { Picked } from './dropped-files.ts';
import { askToRead, mayRead } from './file-handles.ts';
import type { Entry } from './upload-entry.ts';
import type { UploadQueue } from './upload-queue.ts';

type Queue = Pick<UploadQueue, 'entries' | 'discardKept' | 'remove'>;

const isWaiting = ({ state, kept }: Entry) => state === 'interrupted' && kept !== undefined;

/** Reads the interrupted files that this browser kept and may read without asking the person. */
export async function findReadable(queue: Queue): Promise<Picked[]> {
  const found: Picked[] = [];
  for (const entry of queue.entries.filter(isWaiting)) {
    const { kept } = entry;
    if (kept === undefined || (!(kept instanceof File) && !(await mayRead(kept)))) continue;
    const file = kept instanceof File ? kept : await kept.getFile().catch(() => undefined);
    // It was moved or deleted.
    if (!file) queue.discardKept(entry.key);
    // It was changed: what has arrived of it is of no use.
    if (file && file.size !== entry.sizeBytes) void queue.remove(entry.key);
    if (file) found.push({ file, path: entry.path ?? file.name, kept });
  }
  return found;
}

/** Returns the interrupted files that this browser may read once the person allows it. */
export async function findUnreadable(queue: Queue): Promise<Entry[]> {
  const found: Entry[] = [];
  for (const entry of queue.entries.filter(isWaiting)) {
    if (entry.kept && !(entry.kept instanceof File) && !(await mayRead(entry.kept))) found.push(entry);
  }
  return found;
}

/** Asks the person. Files that may not be read have to be chosen again. */
export async function requestReading(queue: Queue): Promise<void> {
  for (const entry of await findUnreadable(queue)) {
    const { kept } = entry;
    if (kept && !(kept instanceof File) && !(await askToRead(kept).catch(() => false))) queue.discardKept(entry.key);
  }
}
