import type { EvidenceFile } from '@waybill/evidence';
import type { DayWrapped } from '../keys/key-store.ts';
import type { WantedPlaces } from './wanted-files.ts';

/**
 * Why a file was accepted without a scan:
 * - `too_large`: the scanner did not inspect all of it, because of its size or depth.
 * - `encrypted`: it is encrypted or protected by a password.
 * - `unavailable`: the scanner could not be reached, or took too long.
 * - `off`: the server scans nothing.
 */
export type UnscannedReason = 'too_large' | 'encrypted' | 'unavailable' | 'off';

export interface StagedFile {
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly sha256: Buffer;
}

export interface SealedFile {
  readonly accountId: string;
  readonly id: string;
  readonly name: string;
  /** The path of the file in the folder that was sent, including its name; only its name if it was sent alone. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: Buffer;
  readonly crc32: number;
  readonly scan: 'clean' | 'unscanned';
  /** Null if it was scanned. */
  readonly unscannedReason: UnscannedReason | null;
  readonly wrappedKey: Buffer;
  readonly keyDay: number;
  readonly runs: readonly ChunkRun[];
}

export interface InboxFile extends SealedFile {
  /** The account whose drop it is in. */
  readonly accountId: string;
  readonly dropId: string;
  /** Which of the files that the request wants it is, by its place in their list; null if none of them. */
  readonly wanted: number | null;
}

/** A sequence of objects with its own prefix. A file whose writer was never replaced has no list of runs. */
export interface ChunkRun {
  readonly id: string;
  readonly firstSegment: number;
  readonly segmentsPerChunk: number;
  /** Objects numbered below this may exist. Null in the last run, for which the file or upload itself has the count. */
  readonly objects: number | null;
}

/** A file that gets the objects of another one, and a key of its own. */
export interface FileCopy extends DayWrapped {
  readonly id: string;
  readonly sourceId: string;
  readonly name: string;
  /** Null if that is its name. */
  readonly path: string | null;
}

/** The objects that remain to be deleted: see `takeKeys`. */
export interface Deletion {
  readonly accountId: string;
  readonly id: string;
  readonly chunkCount: number;
  readonly runs: readonly ChunkRun[];
}

/** Finds objects to delete: of files whose key is destroyed, and of uploads that have ended without a file. */
export interface DeletionStore {
  /** Takes up to `count` that are due, each for `leaseSeconds`. */
  takeDeletions(count: number, leaseSeconds: number): Promise<Deletion[]>;
  /** Records which objects remain. Those without any are finished. */
  settleDeletions(deletions: readonly Deletion[]): Promise<void>;
}

export interface FileStore extends DeletionStore {
  staged(accountId: string, draft: string): Promise<StagedFile[]>;
  /** False when the file has ended. */
  isStored(accountId: string, id: string): Promise<boolean>;
  countStaged(accountId: string, draft: string): Promise<number>;
  /** False when there is no staged file with that name. */
  removeStaged(accountId: string, draft: string, name: string): Promise<boolean>;
  /** Moves the draft's staged files to a drop. Returns them in the order of their uploads. */
  moveToDrop(accountId: string, draft: string, dropId: string): Promise<EvidenceFile[]>;
  /** Notes which of the wanted files these files are. */
  setWanted(accountId: string, dropId: string, places: WantedPlaces): Promise<void>;
  /**
   * Moves staged files that each have a draft of their own to a drop, with these names and paths, and removes the
   * drafts. Returns them in the order of their uploads.
   */
  moveUploadsToDrop(
    accountId: string,
    files: readonly { readonly id: string; readonly name: string; readonly path: string | null }[],
    dropId: string,
  ): Promise<EvidenceFile[]>;
  /**
   * The stored files with these ids in live drops that the account sent, or that the key did. With `lock`, they stay so
   * until the transaction ends.
   */
  inSentDrops(
    accountId: string,
    ids: readonly string[],
    options: { readonly keyId?: string | undefined; readonly lock: boolean },
  ): Promise<SealedFile[]>;
  /**
   * Makes files of a drop that have the objects of others, which are locked. Fails if the account would store more than
   * this. Returns them as evidence states them.
   */
  copyToDrop(
    accountId: string,
    copies: readonly FileCopy[],
    dropId: string,
    maxStoredBytes: number | null,
  ): Promise<EvidenceFile[]>;
  /** The stored files of a live drop that the account sent, in the order they were sent, or only the one with this id. */
  ofSentDrop(accountId: string, dropId: string, only?: string): Promise<SealedFile[]>;
  /** The files of a live inbox entry of this account, in the order they were sent, or only the one with this name or id. */
  inInbox(accountId: string, entryId: string, only?: Partial<Pick<InboxFile, 'name' | 'id'>>): Promise<InboxFile[]>;
  /** The files of several such entries, each with the id of its entry. */
  inInboxEntries(accountId: string, entryIds: readonly string[]): Promise<(InboxFile & { readonly entryId: string })[]>;
}

export interface FileLine {
  readonly name: string;
  readonly scan: 'clean' | 'unscanned';
}

export interface ListedFile extends FileLine {
  readonly sizeBytes: number;
  readonly unscannedReason: UnscannedReason | null;
}

/** A file of which a mail tells. */
export interface MailedFile extends ListedFile {
  readonly path: string;
}

/** An object that is to be deleted, and that the store did not delete although it responds. */
export interface UndeletedObject {
  readonly key: string;
  readonly attempts: number;
  readonly firstFailedAt: Date;
}

/** For the whole server, not for one account. */
export interface UndeletedObjectStore {
  /** Records that these could not be deleted. Each is due again after twice the time as before, up to a day. */
  record(keys: readonly string[]): Promise<void>;
  /** Up to `count` that are due, each taken for `leaseSeconds`. */
  takeDue(count: number, leaseSeconds: number): Promise<string[]>;
  /** Deletes the records of objects, once they are deleted from the store. */
  purge(keys: readonly string[]): Promise<void>;
  /** In the order of their keys, after `after`. */
  list(after: string | undefined, count: number): Promise<UndeletedObject[]>;
}
