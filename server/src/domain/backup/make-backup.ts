import { createHash } from 'node:crypto';
import type { FilePosition } from '../batch.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { listObjects } from '../files/chunk-runs.ts';
import type { CheckedFile } from '../files/scrub-store.ts';
import { UnreadableObject } from '../files/unreadable-object.ts';
import { checkKeys } from '../keys/check-master-keys.ts';
import type { BackupPlace, NeededObject } from './backup-place.ts';
import { copyObject } from './copy-object.ts';
import type { DatabaseCopies, DatabaseMoment } from './database-copies.ts';
import {
  type AbsentFile,
  countLeftOut,
  type FileLine,
  formatVersion,
  fromFileLine,
  type Manifest,
  newId,
  partPath,
  toFileLine,
} from './format.ts';
import { fingerprint } from './key-fingerprints.ts';
import { type Content, fromLines, inOrder, measureStream, toLines } from './streams.ts';

const copiesAtOnce = 16;

export interface BackupEngines extends Pick<Engines, 'store' | 'objects' | 'masterKeys' | 'dayKeys' | 'random'> {
  readonly database: DatabaseCopies;
  readonly pepper: Buffer;
}

export interface Copied {
  readonly objects: number;
  readonly bytes: number;
  /** The objects that were already there. */
  readonly kept: number;
}

export interface BackupObserver {
  readonly signal: AbortSignal;
  readonly onStep?: (step: string) => void;
  readonly onObject?: (copied: Copied) => void;
  /** A file that is stored, and that the backup does not have. */
  readonly onAbsent?: (file: AbsentFile) => void;
}

/**
 * Backs up the database as it is now, and the objects of the files in it. Objects are copied after the dump, while files
 * come and go: an object that is already there is not copied again, and a file that has ended meanwhile is recorded as
 * such. Interrupted, it is simply begun again.
 */
export async function makeBackup(
  engines: BackupEngines,
  place: BackupPlace,
  observer: BackupObserver,
): Promise<{ manifest: Manifest; copied: Copied }> {
  const { database, random, masterKeys } = engines;
  // The right keys could not open what another master key seals: nobody could restore the backup.
  await checkKeys(engines);
  const snapshot = await database.atOneMoment(async (moment) => {
    const id = newId(moment.takenAt, random.bytes(2));
    observer.onStep?.('listing the stored files');
    const files = await listFiles(place, id, moment);
    observer.onStep?.('dumping the database');
    const dump = await write(place, partPath(id, 'database.dump'), moment.dump());
    const used = new Set((await moment.usedMasterKeys()).map(({ version }) => version));
    return { id, takenAt: moment.takenAt, files, dump, used };
  });
  const { id } = snapshot;
  observer.onStep?.('copying objects');
  const copying = new Copying(engines, place, observer);
  const absent = await write(place, partPath(id, 'absent.jsonl'), toLines(copying.copyAll(id)));
  const [current, ...others] = await masterKeys.list();
  const manifest: Manifest = {
    format: formatVersion,
    id,
    taken_at: snapshot.takenAt.toISOString(),
    database: snapshot.dump,
    files: snapshot.files,
    absent: { ...absent, ...copying.absent },
    keys: {
      master: [...(current ? [current] : []), ...others.filter(({ version }) => snapshot.used.has(version))],
      pepper: fingerprint(engines.pepper),
    },
  };
  const text = Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`);
  const seal = await masterKeys.wrap(createHash('sha256').update(text).digest(), sealContext(id));
  const sealed = JSON.stringify({ version: seal.version, wrapped: seal.wrapped.toString('base64') });
  await write(place, partPath(id, 'manifest.seal'), only(Buffer.from(`${sealed}\n`)));
  await write(place, partPath(id, 'manifest.json'), only(text));
  await database.recordBackup(toRecord(manifest));
  return { manifest, copied: copying.copied };
}

/** The record of a complete backup in the database. */
export function toRecord(manifest: Manifest) {
  return { id: manifest.id, takenAt: new Date(manifest.taken_at), leftOut: countLeftOut(manifest) };
}

/** The context of a manifest's digest, which is wrapped like a key. */
export const sealContext = (id: string) => `backup ${id}`;

async function listFiles(place: BackupPlace, id: string, moment: DatabaseMoment): Promise<Manifest['files']> {
  const totals = { files: 0, objects: 0, object_bytes: 0 };
  async function* lines() {
    for await (const file of moment.files()) {
      totals.files += 1;
      for (const { bytes } of listObjects(file)) {
        totals.objects += 1;
        totals.object_bytes += bytes;
      }
      yield toFileLine(file);
    }
  }
  return { ...(await write(place, partPath(id, 'files.jsonl'), toLines(lines()))), ...totals };
}

async function write(place: BackupPlace, name: string, source: AsyncIterable<Buffer>): Promise<Content> {
  const { stream, content } = measureStream(source);
  await place.write(name, stream);
  return content();
}

async function* only(bytes: Buffer): AsyncGenerator<Buffer, void, void> {
  yield bytes;
}

class Copying {
  readonly #engines: BackupEngines;
  readonly #place: BackupPlace;
  readonly #observer: BackupObserver;
  readonly copied = { objects: 0, bytes: 0, kept: 0 };
  readonly absent = { ended: 0, lost: 0, unreadable: 0 };

  constructor(engines: BackupEngines, place: BackupPlace, observer: BackupObserver) {
    this.#engines = engines;
    this.#place = place;
    this.#observer = observer;
  }

  /** Copies the objects of all listed files, and returns the files that cannot be copied, in the order of the list. */
  async *copyAll(id: string): AsyncGenerator<AbsentFile, void, void> {
    const results = inOrder(listedObjects(this.#place, id), copiesAtOnce, (item) => this.#copy(item));
    let last: string | undefined;
    for await (const absent of results) {
      if (!absent || absent.id === last) continue;
      last = absent.id;
      this.absent[absent.reason] += 1;
      if (absent.reason !== 'ended') this.#observer.onAbsent?.(absent);
      yield absent;
    }
  }

  async #copy({ file, object }: ListedObject): Promise<AbsentFile | undefined> {
    const { signal, onObject } = this.#observer;
    signal.throwIfAborted();
    if (await this.#place.has(object)) {
      this.copied.kept += 1;
    } else {
      try {
        const { objects } = this.#engines;
        await copyObject(objects, object, signal, () => this.#place.take(object, signal));
      } catch (error) {
        const isUnreadable = error instanceof UnreadableObject;
        if (!isUnreadable && !(error instanceof ExchangeError && error.code === 'damaged')) throw error;
        const reason = await this.#reasonFor(file, isUnreadable);
        return { accountId: file.accountId, id: file.id, reason, object: object.key };
      }
      this.copied.objects += 1;
      this.copied.bytes += object.bytes;
    }
    onObject?.(this.copied);
    return undefined;
  }

  /** Objects are deleted only after their file has ended: if it has not, they are lost, or cannot be read. */
  async #reasonFor(file: FilePosition, isUnreadable: boolean): Promise<AbsentFile['reason']> {
    if (!(await this.#engines.store.files.isStored(file.accountId, file.id))) return 'ended';
    return isUnreadable ? 'unreadable' : 'lost';
  }
}

interface ListedObject {
  readonly file: CheckedFile;
  readonly object: NeededObject;
}

/** The objects of a backup's files, in the order of its list. */
export async function* listedObjects(place: BackupPlace, id: string): AsyncGenerator<ListedObject, void, void> {
  for await (const line of fromLines<FileLine>(place.read(partPath(id, 'files.jsonl')))) {
    const file = fromFileLine(line);
    for (const object of listObjects(file)) yield { file, object };
  }
}

/** Pruning must not remove what another backup in the same place has found there. */
export async function runAlone<Result>(
  { store }: Pick<Engines, 'store'>,
  place: string,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  return store.exclusively(`backup to ${place}`, work);
}
