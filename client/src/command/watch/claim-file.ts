import { mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { numberedName } from '../../generated/safe-name.ts';
import { syncFolder } from '../../transfer/download-to-file.ts';
import { moveUnlessExists, pathExists } from '../../transfer/move-unless-exists.ts';
import { describeError } from '../error-report.ts';
import { findFileErrorCode } from '../file-errors.ts';
import { lookAt } from './file-look.ts';
import { markerEnding, type ReadyFile } from './folder-scan.ts';
import { sendingFolder } from './own-folders.ts';
import { isFaultOfAllFiles } from './watch-faults.ts';
import type { DeliveryFields, HeldFile, WatchJournal } from './watch-journal.ts';

/** No file that is sent has a hidden name. */
const heldMarker = '.marker';

/** Returns the folder of a claimed file. It is the only file in it, so a rename to it replaces nothing. */
export function heldFolder(root: string, { id }: Pick<HeldFile, 'id'>): string {
  return join(root, sendingFolder, id);
}

export function heldPath(root: string, held: Pick<HeldFile, 'id' | 'name'>): string {
  return join(heldFolder(root, held), held.name);
}

function markerPath(root: string, held: Pick<HeldFile, 'id'>): string {
  return join(heldFolder(root, held), heldMarker);
}

/**
 * Moves a file to a folder of its own below `sending`. The rename is the claim: from then on, no other program finds the
 * file under its name. Returns undefined if it was removed in between.
 */
export async function claimFile(
  root: string,
  journal: WatchJournal,
  id: string,
  { folder, name, look, marked }: ReadyFile,
  delivery: DeliveryFields,
): Promise<HeldFile | undefined> {
  const claim = { id, folder, name, delivery, content: look.content, marked: marked ? 1 : 0 } as const;
  const held = journal.add(claim);
  const source = join(root, folder, name);
  try {
    await mkdir(heldFolder(root, held), { mode: 0o700 });
    // The marker first: one that stays behind would announce the next file of this name before it is complete.
    if (marked) {
      await requireRealFolder(root, held);
      await rename(source + markerEnding, markerPath(root, held));
    }
    await moveToHeld(root, held);
  } catch (error) {
    const isGone = findFileErrorCode(error) === 'ENOENT';
    await abandonClaim(root, journal, held, !isGone);
    if (isGone) return undefined;
    throw isFaultOfAllFiles(error) ? error : new ClaimError(error);
  }
  await syncClaim(root, held);
  return held;
}

/** A file that this user may not move, or that is on another disk. */
export class ClaimError extends Error {
  readonly next: string;

  constructor(cause: unknown) {
    const { message, next } = describeError(cause);
    super(message, { cause });
    this.next = next;
  }
}

/**
 * Completes a claim that a crash has interrupted before the rename. `changed`: a marker announced the file, and was removed,
 * because the file is different now.
 */
export async function resumeClaim(
  root: string,
  journal: WatchJournal,
  held: HeldFile,
): Promise<'claimed' | 'changed' | 'absent'> {
  const isAnnounced = held.marked === 1 && (await pathExists(markerPath(root, held)));
  if (isAnnounced) await requireRealFolder(root, held);
  const look = isAnnounced ? await lookAt(join(root, held.folder, held.name)) : undefined;
  if (look?.content !== held.content) {
    await abandonClaim(root, journal, held, false);
    return look === undefined ? 'absent' : 'changed';
  }
  await moveToHeld(root, held);
  await syncClaim(root, held);
  return 'claimed';
}

/** Makes sure that the folder of a file is a real one: through a link, a file of somebody else would be moved. */
async function requireRealFolder(root: string, { folder }: HeldFile): Promise<void> {
  const path = join(root, folder);
  if ((await lookAt(path))?.isFolder !== false) return;
  throw Object.assign(new Error(`${path} is not a folder.`), { code: 'ENOTDIR', syscall: 'lstat', path });
}

async function moveToHeld(root: string, held: HeldFile): Promise<void> {
  await requireRealFolder(root, held);
  await rename(join(root, held.folder, held.name), heldPath(root, held));
}

/**
 * Moves a claimed file back to its folder without its marker, and ends the claim. Returns its path, which has a number if
 * there is another file of its name, or that in `sending` if its folder is not there any more.
 */
export async function returnFile(root: string, journal: WatchJournal, held: HeldFile): Promise<string> {
  const path = await moveBack(root, held);
  await abandonClaim(root, journal, held, false);
  return path;
}

async function moveBack(root: string, held: HeldFile): Promise<string> {
  const source = heldPath(root, held);
  // Through a link, the file would get to a folder of somebody else.
  if ((await lookAt(join(root, held.folder)))?.isFolder !== true) return source;
  for (let number = 1; ; number += 1) {
    const path = join(root, held.folder, numberedName(held.name, number));
    if (await moveUnlessExists(source, path)) return path;
  }
}

/** Removes an empty claim, or the remains of a file that is finished. */
export async function abandonClaim(
  root: string,
  journal: WatchJournal,
  held: HeldFile,
  returnMarker: boolean,
): Promise<void> {
  const marker = markerPath(root, held);
  if (returnMarker && (await pathExists(marker)) && (await lookAt(join(root, held.folder)))?.isFolder)
    await moveUnlessExists(marker, join(root, held.folder, held.name + markerEnding));
  await rm(marker, { force: true });
  // Not with what is in it: nothing of a person is ever deleted.
  await rmdir(heldFolder(root, held)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTEMPTY') throw error;
  });
  journal.delete(held.id);
}

async function syncClaim(root: string, held: HeldFile): Promise<void> {
  for (const folder of [heldFolder(root, held), join(root, sendingFolder)]) await syncFolder(folder);
  await syncFolder(join(root, held.folder)).catch((error: NodeJS.ErrnoException) => {
    // A receiver's folder may be removed once its last file was claimed.
    if (error.code !== 'ENOENT') throw error;
  });
}
