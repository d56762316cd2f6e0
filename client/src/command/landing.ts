import { createHash } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { isThere, syncFolder } from '../download-to-file.ts';
import type { JournalEntry, PullJournal } from './pull-journal.ts';

const longestNameBytes = 255;

/** Where a file is while it is incomplete. Its name says nothing, so that it fits whatever the file is called. */
export function partPath(journal: PullJournal, { url, name }: JournalEntry): string {
  const key = createHash('sha256')
    .update(JSON.stringify([url, name]))
    .digest('hex');
  return join(journal.folder, `${key.slice(0, 40)}.part`);
}

/**
 * Gives a whole part its name in the folder. The name is in the journal before, so that after a crash the part alone
 * tells: as long as it is there the file has not landed, and when it is gone the file has, even if somebody has moved it on since.
 */
export async function land(
  folder: string,
  journal: PullJournal,
  entry: JournalEntry,
  whole: { sha256: string; sizeBytes: number },
): Promise<string> {
  const name = await freeName(folder, entry.name);
  journal.landing(entry.id, name, whole);
  await rename(partPath(journal, entry), join(folder, name));
  await syncFolder(folder);
  await syncFolder(journal.folder);
  return name;
}

/** The file's own name, or with a number where that is taken: `report (2).csv`. */
export async function freeName(folder: string, name: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : numbered(name, number);
    if (!(await isThere(join(folder, candidate)))) return candidate;
  }
}

function numbered(name: string, number: number): string {
  const ending = ` (${number})${extname(name)}`;
  const stem = name.slice(0, name.length - extname(name).length);
  let kept = Array.from(stem);
  while (kept.length > 1 && Buffer.byteLength(kept.join('') + ending) > longestNameBytes) kept = kept.slice(0, -1);
  return kept.join('') + ending;
}

/** The server refuses such names too; a folder is no place to take anybody's word for it. */
export function isSafeName(name: string): boolean {
  return (
    name !== '' &&
    name !== '.' &&
    name !== '..' &&
    !/[/\\\u0000-\u001f\u007f]/.test(name) &&
    Buffer.byteLength(name) <= longestNameBytes
  );
}
