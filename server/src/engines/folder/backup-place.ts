import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BackupPlace } from '../../domain/backup/backup-place.ts';
import { ExchangeError, MissingObject } from '../../domain/exchange-error.ts';
import type { ObjectStore } from '../../domain/ports/object-store.ts';

/** A directory on this machine. Only its owner can read what is in it. */
export function folderBackupPlace(folder: string, bucket: Pick<ObjectStore, 'put' | 'read'>): BackupPlace {
  const path = (name: string) => join(folder, name);
  // Spread over directories by the last digits of the id, which are random.
  const toPath = (key: string) => {
    const id = key.slice(0, key.indexOf('/'));
    return path(`objects/${id.slice(-2)}/${key}`);
  };
  const read: BackupPlace['objects']['read'] = async (key, { offset, length }, signal) => {
    signal.throwIfAborted();
    await using file = await open(toPath(key)).catch(missing);
    const bytes = Buffer.allocUnsafeSlow(length);
    for (let fill = 0; fill < length; ) {
      const { bytesRead } = await file.read(bytes, fill, length - fill, offset + fill).catch(throwDamaged);
      if (bytesRead === 0) throw new ExchangeError('damaged');
      fill += bytesRead;
    }
    return bytes;
  };
  return {
    async folders(name) {
      const entries = await readdir(path(name), { withFileTypes: true }).catch(ignoreMissing);
      return (entries ?? []).filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    },
    write: (name, content) => store(path(name), content),
    async *read(name) {
      try {
        yield* createReadStream(path(name)) as AsyncIterable<Buffer>;
      } catch (error) {
        missing(error);
      }
    },
    async remove(name) {
      await rm(path(name), { force: true });
      await rmdir(dirname(path(name))).catch(ignoreFull);
    },
    async removeObjects(keys) {
      for (const key of keys) {
        await rm(toPath(key), { force: true });
        // The folder of its run, in which each object is a file.
        await rmdir(dirname(toPath(key))).catch(ignoreFull);
      }
    },
    objects: { read },
    async has({ key, bytes }) {
      const found = await stat(toPath(key)).catch(ignoreMissing);
      return (found?.size ?? -1) >= bytes;
    },
    async take({ key, bytes }, signal) {
      const content = await bucket.read(key, { offset: 0, length: bytes }, signal);
      await store(toPath(key), [content]);
    },
    async give({ key, bytes }, signal) {
      await bucket.put(key, [await read(key, { offset: 0, length: bytes }, signal)], signal);
    },
    close: () => undefined,
  };
}

/**
 * All of it is on the disk before it has its name, and the name before this returns, so that a power failure leaves no
 * incomplete file behind, and none that is counted on is lost.
 */
async function store(path: string, content: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
  const folder = dirname(path);
  const created = await mkdir(folder, { recursive: true, mode: 0o700 });
  const unfinished = `${path}.${randomBytes(4).toString('hex')}.part`;
  try {
    await using file = await open(unfinished, 'wx', 0o600);
    // Repeats what the system wrote only a part of, such as on a disk that is almost full.
    await file.writeFile(content);
    await file.sync();
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    // A failed write does not name its file.
    if (isFull(error)) Object.assign(error, { path });
    throw error;
  }
  // A new folder has its own name in the one above.
  const top = created === undefined ? folder : dirname(created);
  for (let changed = folder; ; changed = dirname(changed)) {
    await using entries = await open(changed);
    await entries.sync();
    if (changed === top || changed === dirname(changed)) return;
  }
}

/** A disk that cannot read a file has throwDamaged it; what is wrong with the whole disk shows elsewhere. */
function throwDamaged(error: unknown): never {
  if ((error as NodeJS.ErrnoException).code !== 'EIO') throw error;
  throw new ExchangeError('damaged', undefined, { cause: error });
}

function isFull(error: unknown): error is NodeJS.ErrnoException {
  return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

function missing(error: unknown): never {
  throw isMissing(error) ? new MissingObject({ cause: error }) : error;
}

function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

/** A folder that others are still in, or that is gone. */
function ignoreFull(error: NodeJS.ErrnoException): void {
  if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(error.code ?? '')) throw error;
}
