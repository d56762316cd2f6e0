import { MissingObject } from '../exchange-error.ts';
import { findContentId, listObjects } from '../files/chunk-runs.ts';
import type { CheckedFile } from '../files/scrub-store.ts';
import type { BackupPlace } from './backup-place.ts';
import { countLeftOut, type FileLine, fromFileLine, type Manifest, partPath } from './format.ts';
import { findManifest, readPart } from './open-backup.ts';
import { fromLines } from './streams.ts';

/** Of every backup. The list of files is last: until then, an interrupted pruning can be repeated. */
const parts = ['manifest.json', 'manifest.seal', 'database.dump', 'absent.jsonl', 'files.jsonl'] as const;
const [manifestPart] = parts;
const objectsPerRequest = 1_000;
/** The files whose objects may be removed, in memory at a time: for each round, the remaining lists are read once more. */
const filesPerRound = 100_000;

export interface PruneResult {
  /** The ids of the backups that were removed. */
  readonly removed: readonly string[];
  readonly objects: number;
}

/**
 * Removes backups that are older, and the objects that no other backup in the place needs. Always keeps the newest
 * complete backup, and the newest one that lacks no file. No backup may be made in the same place meanwhile: what it finds
 * there it counts on.
 */
export async function pruneBackups(
  place: BackupPlace,
  { olderThan, signal }: { readonly olderThan: Date; readonly signal: AbortSignal },
): Promise<PruneResult> {
  const ids = (await place.folders('backups')).filter((id) => parseTime(id) !== undefined).toSorted();
  const manifests = new Map<string, Manifest>();
  for (const id of ids) {
    const manifest = await findManifest(place, id).catch(unlessMissing);
    if (manifest) manifests.set(id, manifest);
  }
  const complete = [...manifests.values()];
  const kept = new Set([complete.at(-1)?.id, complete.findLast(isWhole)?.id]);
  const isOld = (id: string) => (parseTime(id) ?? Number.POSITIVE_INFINITY) < olderThan.getTime();
  const removed = complete.length === 0 ? [] : ids.filter((id) => isOld(id) && !kept.has(id));
  const remaining = ids.filter((id) => !removed.includes(id));
  // A list that is not what was written might no longer name an object that is needed.
  if (removed.length > 0) {
    for (const id of remaining) {
      const manifest = manifests.get(id);
      if (manifest) for await (const _ of readPart(place, manifest, 'files'));
    }
  }
  let objects = 0;
  for (const id of removed) {
    signal.throwIfAborted();
    await place.remove(partPath(id, manifestPart));
    objects += await removeObjects(place, id, remaining, signal);
    for (const part of parts) await place.remove(partPath(id, part));
  }
  return { removed, objects };
}

const isWhole = (manifest: Manifest) => countLeftOut(manifest) === 0;

/** The moment that an id begins with; undefined for a folder that is not a backup's. */
function parseTime(id: string): number | undefined {
  const [, year, month, day, hour, minute, second, ms] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-[0-9a-f]+$/.exec(id) ?? [];
  if (year === undefined) return undefined;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
}

/** All lists have the same order, so they are read side by side and never held in memory. */
async function removeObjects(
  place: BackupPlace,
  id: string,
  remaining: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const others = remaining.map((other) => new Lists(filesIn(place, other)));
  let count = 0;
  /** By the id of the file that stored them, which is in no remaining list; another one may have been sent again with them. */
  let unlisted = new Map<string, CheckedFile>();
  const removeUnlisted = async () => {
    for (const other of remaining) {
      for await (const file of filesIn(place, other)) unlisted.delete(findContentId(file));
    }
    let keys: string[] = [];
    const flush = async () => {
      await place.removeObjects(keys);
      count += keys.length;
      keys = [];
    };
    for (const file of unlisted.values()) {
      signal.throwIfAborted();
      for (const { key } of listObjects(file)) {
        keys.push(key);
        if (keys.length === objectsPerRequest) await flush();
      }
    }
    if (keys.length > 0) await flush();
    unlisted = new Map();
  };
  try {
    for await (const file of filesIn(place, id)) {
      signal.throwIfAborted();
      let isNeeded = false;
      for (const other of others) isNeeded = (await other.has(file)) || isNeeded;
      if (isNeeded) continue;
      unlisted.set(findContentId(file), file);
      if (unlisted.size === filesPerRound) await removeUnlisted();
    }
    if (unlisted.size > 0) await removeUnlisted();
  } finally {
    for (const other of others) await other.close();
  }
  return count;
}

/** None if the backup was interrupted before it had listed its files. */
async function* filesIn(place: BackupPlace, id: string): AsyncGenerator<CheckedFile, void, void> {
  try {
    for await (const line of fromLines<FileLine>(place.read(partPath(id, 'files.jsonl')))) yield fromFileLine(line);
  } catch (error) {
    if (!(error instanceof MissingObject)) throw error;
  }
}

/** Tells whether a list has a file, for files that come in its order. */
class Lists {
  readonly #files: AsyncGenerator<CheckedFile, void, void>;
  #current: CheckedFile | undefined;
  #isDone = false;

  constructor(files: AsyncGenerator<CheckedFile, void, void>) {
    this.#files = files;
  }

  async has(file: CheckedFile): Promise<boolean> {
    while (!this.#isDone && (this.#current === undefined || sortKey(this.#current) < sortKey(file))) {
      const { value, done } = await this.#files.next();
      if (done) this.#isDone = true;
      else this.#current = value;
    }
    return this.#current !== undefined && sortKey(this.#current) === sortKey(file);
  }

  async close(): Promise<void> {
    await this.#files.return();
  }
}

const sortKey = ({ accountId, id }: CheckedFile) => `${accountId} ${id}`;

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof MissingObject)) throw error;
}
