import type { Author, ByCommand } from '../audit/audit-store.ts';
import { recordMaintenance } from '../audit/record.ts';
import type { FilePosition } from '../batch.ts';
import type { Engines } from '../engines.ts';
import { restoreLog } from '../evidence/restore-log.ts';
import { startEpoch } from '../evidence/start-epoch.ts';
import { ExchangeError } from '../exchange-error.ts';
import { listObjects } from '../files/chunk-runs.ts';
import { UnreadableObject } from '../files/unreadable-object.ts';
import type { BackupPlace, BucketInventory } from './backup-place.ts';
import { copyObject } from './copy-object.ts';
import type { DatabaseCopies, NamedDay, RestoreTurn } from './database-copies.ts';
import { type DayKeyMirror, importDayKeys, removeDayKeys } from './day-key-mirror.ts';
import { type DeletionCounts, deleteUnnamed } from './delete-unnamed.ts';
import type { AbsentFile, Manifest } from './format.ts';
import { type BackupObserver, type Copied, toRecord } from './make-backup.ts';
import { openBackup, readPart } from './open-backup.ts';
import { fromLines, inOrder } from './streams.ts';
import { listFiles } from './verify-backup.ts';

const copiesAtOnce = 16;
const filesPerStatement = 500;
/** The reason that an administrator reads, and selects messages by: `outbox retry --all --reason "restored"`. */
const unknownOutcome = 'restored from a backup: it is not known whether it was sent';

export interface RestoreEngines
  extends Pick<
      Engines,
      'store' | 'objects' | 'logObjects' | 'masterKeys' | 'dayKeys' | 'checkpoint' | 'random' | 'policy'
    >,
    ByCommand {
  readonly database: DatabaseCopies;
  readonly bucket: BucketInventory;
  readonly pepper: Buffer;
  migrate(author: Author): Promise<unknown>;
}

export interface RestoreResult {
  readonly manifest: Manifest;
  readonly copied: Copied;
  /** Objects of files that have not ended, and that are neither in the place nor in the bucket. Their files cannot be read. */
  readonly missing: number;
  readonly uploads: number;
  readonly messages: number;
  /** Files that ended since, and cannot be read because the key of their day is destroyed. */
  readonly ended: number;
  /**
   * Days that are not over, or whose files are under a legal hold, and whose keys are neither in the bucket nor in the mirror.
   * Their files cannot be read.
   */
  readonly lostDays: readonly NamedDay[];
  /** Objects that were in the bucket before and belong to nothing that was restored. */
  readonly unnamed: DeletionCounts;
  /** The epoch of the evidence log that was started; undefined if there was no log. */
  readonly epoch: number | undefined;
  /** Epochs whose entries do not lead to the checkpoint that was signed, and which were not published again. */
  readonly damagedEpochs: readonly number[];
}

/**
 * Restores a backup: first the objects, then the database in one transaction, then what follows from the time between.
 * Everything that can be checked is checked before anything is changed. Until the last step, the database is marked, and
 * no process starts with it; an interrupted restore is completed by restoring again.
 */
export async function restoreBackup(
  engines: RestoreEngines,
  place: BackupPlace,
  options: BackupObserver & {
    readonly id?: string | undefined;
    /**
     * Whether it may restore into a database and a bucket that are not empty. Everything in the database is replaced.
     */
    readonly overwrite: boolean;
    /** Sends the messages that were waiting when the backup was made, though they may have been sent since. */
    readonly sendWaiting: boolean;
    /** Day keys that were exported after the backup was made. */
    readonly dayKeys: DayKeyMirror;
  },
): Promise<RestoreResult> {
  const { database } = engines;
  options.onStep?.('checking the backup');
  const manifest = await openBackup(engines, place, options.id);
  await database.checkDump(readPart(place, manifest, 'database'));
  return database.whileRestoring(manifest.id, (turn) => restoreAlone(engines, place, manifest, { ...options, turn }));
}

type Options = Parameters<typeof restoreBackup>[2];

async function restoreAlone(
  engines: RestoreEngines,
  place: BackupPlace,
  manifest: Manifest,
  { turn, ...options }: Options & { readonly turn: RestoreTurn },
): Promise<RestoreResult> {
  const { database, checkpoint } = engines;
  const signal = AbortSignal.any([options.signal, turn.signal]);
  await requireEmpty(engines, options.overwrite, turn);
  const wasEmpty = await engines.bucket.isEmpty();
  checkpoint('restore:marked');
  options.onStep?.('copying objects');
  const { missing, copied } = await copyObjects(engines, place, manifest, { ...options, signal, wasEmpty });
  checkpoint('restore:objects-copied');
  options.onStep?.('restoring the database');
  signal.throwIfAborted();
  await database.replace(beforeEnd(readPart(place, manifest, 'database'), () => checkpoint('restore:dump-read')));
  checkpoint('restore:database-replaced');
  await engines.migrate(engines.administrator);
  checkpoint('restore:migrated');
  const abandonMessages = options.sendWaiting ? undefined : unknownOutcome;
  const settled = await database.settleRestored({ abandonMessages });
  // It was recorded after the dump, in which an earlier failure would be the last thing that is known of backups.
  await database.recordBackup(toRecord(manifest));
  checkpoint('restore:settled');
  for await (const files of pages(endedFiles(place, manifest))) await database.endFiles(files);
  options.onStep?.('restoring day keys');
  const days = await restoreDayKeys(engines, place, manifest, options.dayKeys);
  checkpoint('restore:day-keys-stored');
  options.onStep?.('starting a new epoch of the evidence log');
  const log = await continueLog(engines, manifest, signal);
  checkpoint('restore:epoch-started');
  options.onStep?.('deleting objects that nothing names');
  const unnamed = wasEmpty
    ? { deleted: 0, dayKeysDeleted: 0, dayKeysKept: 0, undeleted: [] }
    : await deleteUnnamed(engines, { signal, keepDayKeys: days.lostDays.length > 0 });
  checkpoint('restore:bucket-cleaned');
  const { id: backup, taken_at: takenAt } = manifest;
  const details = { backup, takenAt, files: manifest.files.files, missingObjects: missing };
  await recordMaintenance(engines, engines.administrator, 'backup.restored', details);
  return { manifest, copied, missing, ...settled, ...days, ...log, unnamed };
}

/** More may have been published since the backup was made, so the log of the backup is never continued. */
async function continueLog(
  engines: RestoreEngines,
  { id }: Manifest,
  signal: AbortSignal,
): Promise<Pick<RestoreResult, 'epoch' | 'damagedEpochs'>> {
  const damagedEpochs = await restoreLog(engines, signal);
  if ((await engines.store.evidenceLog.list()).length === 0) return { epoch: undefined, damagedEpochs };
  const reason = `restored from backup ${id}`;
  const { epoch } = await startEpoch(engines, { reason, author: engines.administrator, isAlone: true });
  return { epoch, damagedEpochs };
}

async function* beforeEnd<Item>(items: AsyncIterable<Item>, then: () => void): AsyncGenerator<Item, void, void> {
  yield* items;
  then();
}

/** Objects that an interrupted restore left belong to no one, unless the database is the one it was to replace. */
async function requireEmpty(
  { database, bucket }: RestoreEngines,
  overwrite: boolean,
  { unfinished }: RestoreTurn,
): Promise<void> {
  if (overwrite) return;
  const remedy = 'Create an empty one, or use --overwrite';
  if (unfinished !== 'replaced' && !(await database.isEmpty())) {
    throw new ExchangeError('precondition_failed', `The database is not empty. ${remedy} to replace everything in it.`);
  }
  if (unfinished === 'none' && !(await bucket.isEmpty())) {
    throw new ExchangeError(
      'precondition_failed',
      `The bucket is not empty. ${remedy} to keep the objects that the backup needs, and to delete all others.`,
    );
  }
}

async function copyObjects(
  { bucket }: RestoreEngines,
  place: BackupPlace,
  manifest: Manifest,
  { signal, wasEmpty, onObject }: BackupObserver & { readonly wasEmpty: boolean },
): Promise<{ missing: number; copied: Copied }> {
  const copied = { objects: 0, bytes: 0, kept: 0 };
  let missing = 0;
  async function* needed() {
    for await (const file of restoredFiles(place, manifest)) yield* listObjects(file);
  }
  const give = inOrder(needed(), copiesAtOnce, async (object) => {
    signal.throwIfAborted();
    if (!wasEmpty && (await bucket.has(object))) {
      copied.kept += 1;
      return;
    }
    try {
      await copyObject(place.objects, object, signal, () => place.give(object, signal));
      copied.objects += 1;
      copied.bytes += object.bytes;
    } catch (error) {
      const isAbsent =
        error instanceof UnreadableObject || (error instanceof ExchangeError && error.code === 'damaged');
      if (!isAbsent) throw error;
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
  manifest: Manifest,
  mirror: DayKeyMirror,
): Promise<Pick<RestoreResult, 'ended' | 'lostDays'>> {
  const { lost } = await importDayKeys(engines, mirror);
  const today = (await engines.dayKeys.today()) ?? 0;
  const isDestroyed = ({ day, isHeld }: NamedDay) => day < today && !isHeld;
  const destroyed = new Set(lost.filter(isDestroyed).map(({ day }) => day));
  let ended = 0;
  for await (const files of pages(filesOfDays(place, manifest, destroyed))) {
    await engines.database.endFiles(files);
    ended += files.length;
  }
  // A row without an object would refuse every upload and dispatch that ends on its day.
  const lostDays = lost.filter(({ day, isUsed }) => isUsed && !destroyed.has(day));
  await removeDayKeys(
    engines,
    lost.filter((named) => !lostDays.includes(named)).map(({ day }) => day),
  );
  return { ended, lostDays };
}

async function* filesOfDays(
  place: BackupPlace,
  manifest: Manifest,
  days: ReadonlySet<number>,
): AsyncGenerator<FilePosition, void, void> {
  if (days.size === 0) return;
  for await (const { accountId, id, keyDay } of restoredFiles(place, manifest)) {
    if (days.has(keyDay)) yield { accountId, id };
  }
}

/**
 * Also those that were lost or unreadable when the backup was made: they are not over, and another backup in the same place
 * may have their objects.
 */
const restoredFiles = (place: BackupPlace, manifest: Manifest) =>
  listFiles(place, manifest, ({ reason }) => reason === 'ended');

async function* endedFiles(place: BackupPlace, manifest: Manifest): AsyncGenerator<FilePosition, void, void> {
  for await (const { reason, accountId, id } of fromLines<AbsentFile>(readPart(place, manifest, 'absent'))) {
    if (reason === 'ended') yield { accountId, id };
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
