import type { BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';

/** The state of a file, as one look has found it. */
export interface FileLook {
  /** Equal for a file that nobody has written to since; it survives a rename. */
  content: string;
  /** Differs after any change, also of the name or the permissions, and cannot be set by a program. */
  changedNs: bigint;
  size: number;
  isFile: boolean;
  isFolder: boolean;
}

/** Returns undefined if there is nothing. Links are not followed. */
export async function lookAt(path: string): Promise<FileLook | undefined> {
  const found = await lstat(path, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  return found && toLook(found);
}

function toLook(found: BigIntStats): FileLook {
  return {
    content: `${found.size} ${found.mtimeNs} ${found.ino}`,
    changedNs: found.ctimeNs,
    size: Number(found.size),
    isFile: found.isFile(),
    isFolder: found.isDirectory(),
  };
}

export function isUnchanged(before: FileLook, now: FileLook | undefined): boolean {
  return now?.content === before.content && now.changedNs === before.changedNs;
}

/** Returns whether two contents are of the same file, which somebody may have written to, and not of another in its place. */
export function isSameFile(before: string, now: string): boolean {
  const [inode, other] = [before, now].map((content) => content.split(' ').at(-1));
  return inode === other;
}
