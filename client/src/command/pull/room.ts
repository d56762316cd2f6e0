import { rm, stat } from 'node:fs/promises';
import { findFreeBytes } from '../../transfer/free-bytes.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { findFileErrorCode } from '../file-errors.ts';
import { formatSize } from '../terminal/format.ts';

/** Is left free for the journal and for new folders. */
const reservedBytes = 1024 * 1024;

/** A folder whose disk has no room for something. */
export class DiskFullError extends CommandError {
  /** The message for programs: numbers of bytes, and a path. */
  readonly details: { needed: number; free: number; folder: string };

  constructor(what: string, details: DiskFullError['details'], next: string) {
    const { needed, free, folder } = details;
    const message = `${what} needs ${formatSize(needed)} more, and ${folder} has ${formatSize(free)} left.`;
    super(exitCodes.failed, 'disk_full', message, next);
    this.details = details;
  }
}

/** Returns whether an error says that the disk, or the part of it that this user may fill, is full. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof DiskFullError || ['ENOSPC', 'EDQUOT'].includes(findFileErrorCode(error) ?? '');
}

/** Throws if not even the journal could be written. */
export async function requireRoomForJournal(folder: string): Promise<void> {
  const free = await findFreeBytes(folder);
  if (free < reservedBytes) {
    throw new DiskFullError('The pull', { needed: reservedBytes - free, free, folder }, 'Make room there.');
  }
}

/** Throws if the rest of a file, of which a part may be there, does not fit. */
export async function requireRoom(folder: string, part: string, file: { name: string; size: number }): Promise<void> {
  const free = Math.max(0, (await findFreeBytes(folder)) - reservedBytes);
  if (file.size - (await findPartSize(part)) > free) await refuseForRoom(folder, part, file);
}

/**
 * Throws for a file that does not fit. Its part is kept, so that the download can continue, only if it takes less room
 * than it leaves: otherwise it would keep out the files that do fit.
 */
export async function refuseForRoom(
  folder: string,
  part: string,
  { name, size }: { name: string; size: number },
): Promise<never> {
  if ((await findPartSize(part)) >= (await findFreeBytes(folder))) await rm(part, { force: true });
  const free = await findFreeBytes(folder);
  const needed = size + reservedBytes - (await findPartSize(part));
  const next = 'Make room there. Other files are pulled meanwhile, if they fit.';
  throw new DiskFullError(name, { needed: Math.max(needed, 0), free, folder }, next);
}

async function findPartSize(part: string): Promise<number> {
  return await stat(part).then(
    ({ size }) => size,
    () => 0,
  );
}
