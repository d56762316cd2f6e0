import { ExchangeError } from '../exchange-error.ts';
import { objectsOf } from '../files/chunk-runs.ts';
import { type DayKeyMirror, importDayKeys, type LostDay } from '../keys/day-key-mirror.ts';
import { dayOfVersion } from '../keys/day-keys.ts';
import type { BackupPlace, BucketInventory, DatabaseCopies, Engines, FilePosition } from '../ports/index.ts';
import { type AbsentFile, type Manifest, partOf } from './format.ts';
import type { Copied, Following } from './make-backup.ts';
import { openBackup } from './open-backup.ts';
import { fromLines, inOrder } from './streams.ts';
import { presentFiles } from './verify-backup.ts';

const copiesAtOnce = 16;
const filesPerStatement = 500;
/** What an administrator reads and selects messages by: `outbox retry --all --reason "restored"`. */
const unknownOutcome = 'restored from a backup: it is not known whether it was sent';

export interface RestoreEngines extends Pick<Engines, 'store' | 'keys' | 'dayKeys'> {
  readonly database: DatabaseCopies;
  readonly bucket: BucketInventory;
  readonly pepper: Buffer;
  migrate(): Promise<unknown>;
}

export interface Restored {
  readonly manifest: Manifest;
  readonly copied: Copied;
  /** Objects that the backup should have and does not. Their files cannot be read. */
  readonly missing: number;
  readonly uploads: number;
  readonly messages: number;
  /** Files that ended since, and cannot be read because the key of their day is destroyed. */
  readonly ended: number;
  /** Days that are not over, whose keys are neither in the bucket nor in the mirror. Their files cannot be read. */
  readonly lostDays: readonly LostDay[];
}

/**
 * Restores a backup into an empty database and bucket: first the objects, then the database in one transaction, so that
 * an interrupted restore leaves no database behind that could be mistaken for a complete one.
 */
export async function restoreBackup(
  engines: RestoreEngines,
  place: BackupPlace,
  options: Following & {
    readonly id?: string | undefined;
    /** Also into a database and a bucket that are not empty. Everything in the database is replaced. */
    readonly overwrite: boolean;
    /** Sends the messages that were waiting when the backup was made, though they may have been sent since. */
    readonly sendWaiting: boolean;
    /** Day keys that were exported after the backup was made. */
    readonly dayKeys: DayKeyMirror;
  },
): Promise<Restored> {
  const { database } = engines;
  options.onStep?.('checking the backup');
  const manifest = await openBackup(engines, place, options.id);
  const { id } = manifest;
  await requireEmpty(engines, options.overwrite);
  options.onStep?.('copying objects');
  const { missing, copied } = await giveObjects(engines, place, id, options);
  options.onStep?.('restoring the database');
  if (options.overwrite) await database.clear();
  await database.restore(place.read(partOf(id, 'database.dump')));
  await engines.migrate();
  const giveUpMessages = options.sendWaiting ? undefined : unknownOutcome;
  const settled = await database.settleRestored({ giveUpMessages });
  for await (const files of pages(endedFiles(place, id))) await database.endFiles(files);
  options.onStep?.('restoring day keys');
  const days = await restoreDayKeys(engines, place, id, options.dayKeys);
  return { manifest, copied, missing, ...settled, ...days };
}

async function requireEmpty({ database, bucket }: RestoreEngines, overwrite: boolean): Promise<void> {
  if (overwrite) return;
  const remedy = 'Create an empty one, or use --overwrite';
  if (!(await database.isEmpty())) {
    throw new ExchangeError('precondition_failed', `The database is not empty. ${remedy} to replace everything in it.`);
  }
  if (!(await bucket.isEmpty())) {
    throw new ExchangeError(
      'precondition_failed',
      `The bucket is not empty. ${remedy} to add to it or to continue a restore.`,
    );
  }
}

async function giveObjects(
  { bucket }: RestoreEngines,
  place: BackupPlace,
  id: string,
  { signal, overwrite, onObject }: Following & { readonly overwrite: boolean },
): Promise<{ missing: number; copied: Copied }> {
  const copied = { objects: 0, bytes: 0, kept: 0 };
  let missing = 0;
  async function* needed() {
    for await (const file of presentFiles(place, id)) yield* objectsOf(file);
  }
  const give = inOrder(needed(), copiesAtOnce, async (object) => {
    signal.throwIfAborted();
    if (overwrite && (await bucket.has(object))) {
      copied.kept += 1;
      return;
    }
    try {
      await place.give(object, signal);
      copied.objects += 1;
      copied.bytes += object.bytes;
    } catch (error) {
      if (!(error instanceof ExchangeError) || error.code !== 'damaged') throw error;
      missing += 1;
    }
    onObject?.(copied);
  });
  for await (const _ of give);
  return { missing, copied };
}

async function restoreDayKeys(
  engines: RestoreEngines,
  place: BackupPlace,
  id: string,
  mirror: DayKeyMirror,
): Promise<Pick<Restored, 'ended' | 'lostDays'>> {
  const { lost } = await importDayKeys(engines, mirror);
  const today = (await engines.dayKeys.today()) ?? 0;
  const destroyed = new Set(lost.map(({ day }) => day).filter((day) => day < today));
  let ended = 0;
  for await (const files of pages(filesOfDays(place, id, destroyed))) {
    await engines.database.endFiles(files);
    ended += files.length;
  }
  return { ended, lostDays: lost.filter(({ day }) => !destroyed.has(day)) };
}

async function* filesOfDays(
  place: BackupPlace,
  id: string,
  days: ReadonlySet<number>,
): AsyncGenerator<FilePosition, void, void> {
  if (days.size === 0) return;
  for await (const { accountId, id: file, keyVersion } of presentFiles(place, id)) {
    if (days.has(dayOfVersion(keyVersion))) yield { accountId, id: file };
  }
}

async function* endedFiles(place: BackupPlace, id: string): AsyncGenerator<FilePosition, void, void> {
  for await (const { reason, ...file } of fromLines<AbsentFile>(place.read(partOf(id, 'absent.jsonl')))) {
    if (reason === 'ended') yield file;
  }
}

async function* pages<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item[], void, void> {
  let page: Item[] = [];
  for await (const item of items) {
    page.push(item);
    if (page.length < filesPerStatement) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
