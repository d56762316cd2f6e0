import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { syncFolder } from '../download-to-file.ts';
import { isThere, moveToNew, wasMoved } from '../move-to-new.ts';
import { numberedName, safeLocalName } from '../safe-name.ts';
import type { JournalEntry, PullJournal } from './pull-journal.ts';

/** Where a file is while it is incomplete. Its name says nothing, so that it fits whatever the file is called. */
export function partPath(journal: PullJournal, { url, name }: JournalEntry): string {
  const key = createHash('sha256')
    .update(JSON.stringify([url, name]))
    .digest('hex');
  return join(journal.folder, `${key.slice(0, 40)}.part`);
}

/**
 * Gives a complete part its name in the folder, and answers the name. The name is in the journal before, so that `hasLanded`
 * can tell after a crash.
 */
export async function land(
  folder: string,
  journal: PullJournal,
  entry: JournalEntry,
  whole: { sha256: string; sizeBytes: number },
): Promise<string> {
  const safe = safeLocalName(entry.name);
  for (let number = 1; ; number += 1) {
    const name = numberedName(safe, number);
    if (await isTaken(folder, journal, name)) continue;
    journal.landing(entry.id, name, whole);
    if (!(await moveToNew(partPath(journal, entry), join(folder, name)))) continue;
    await syncFolder(folder);
    await syncFolder(journal.folder);
    return name;
  }
}

/** Whether a file whose landing was interrupted has its name: then its part is gone, or is the same file. */
export async function hasLanded(folder: string, journal: PullJournal, entry: JournalEntry): Promise<boolean> {
  if (!wasMoved(partPath(journal, entry), join(folder, entry.path ?? ''))) return false;
  await syncFolder(folder);
  await syncFolder(journal.folder);
  return true;
}

/**
 * Whether the folder has a file of this name, or one pulled before whose name differs only in case or invisible
 * characters: on another system, or to a reader, one would hide the other.
 */
async function isTaken(folder: string, journal: PullJournal, name: string): Promise<boolean> {
  for (const other of [name, ...journal.landedLike(name)]) {
    if (await isThere(join(folder, other))) return true;
  }
  return false;
}
