import { statfs } from 'node:fs/promises';

/**
 * Returns how many bytes can still be written below a folder. A file system that does not say, such as some that are
 * mounted over a network, counts as one with room: a write that fails then says so.
 *
 * `readStatus` is replaced by tests of such file systems.
 */
export async function findFreeBytes(folder: string, readStatus: typeof statfs = statfs): Promise<number> {
  try {
    const { blocks, bavail, bsize } = await readStatus(folder);
    return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
