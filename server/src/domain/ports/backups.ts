import type { ObjectStore } from './objects.ts';
import type { CheckedFile, FilePosition } from './scrub.ts';

/** An object of the bucket, and how many of its bytes are needed. */
export interface NeededObject {
  readonly key: string;
  readonly bytes: number;
}

/** Where backups are kept. All backups in one place share the objects, which never change. */
export interface BackupPlace {
  /** The names of the folders in this folder. */
  folders(folder: string): Promise<string[]>;
  /** Stores a file. It is there only when all of it is. */
  write(name: string, content: AsyncIterable<Buffer>): Promise<void>;
  /** Throws MissingObject when it is not there. */
  read(name: string): AsyncIterable<Buffer>;
  /** The objects that are here. */
  readonly objects: Pick<ObjectStore, 'read'>;
  /** Whether all needed bytes of the object are here. */
  has(object: NeededObject): Promise<boolean>;
  /** Copies an object from the bucket to here. Throws MissingObject when the bucket does not have it. */
  take(object: NeededObject, signal: AbortSignal): Promise<void>;
  /** Copies an object from here to the bucket. Throws MissingObject when it is not here. */
  give(object: NeededObject, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** What only backups need to know about the bucket. */
export interface BucketInventory {
  isEmpty(): Promise<boolean>;
  has(object: NeededObject): Promise<boolean>;
}

/**
 * How many stored keys a key wraps: those of files and uploads, those of drops' links, and day keys. The version is that
 * of a master key; or the day of a day key, as a negative number.
 */
export interface KeyVersion {
  readonly version: number;
  readonly files: number;
  readonly drops: number;
  readonly days: number;
}

/** The database at one moment, whatever happens to it afterwards. */
export interface DatabaseMoment {
  readonly takenAt: Date;
  /** All of it, in the custom format of pg_dump. */
  dump(): AsyncIterable<Buffer>;
  /** All stored files, in the order of their keys. */
  files(): AsyncIterable<CheckedFile>;
  keyVersions(): Promise<readonly KeyVersion[]>;
}

/** The database as a whole. Nothing here has a deadline. */
export interface DatabaseCopies {
  atOneMoment<Result>(work: (moment: DatabaseMoment) => Promise<Result>): Promise<Result>;
  keyVersions(): Promise<readonly KeyVersion[]>;
  isEmpty(): Promise<boolean>;
  /** Removes everything from the database. */
  clear(): Promise<void>;
  /** All of the dump, or nothing. */
  restore(dump: AsyncIterable<Buffer>): Promise<void>;
  /**
   * Gives up the uploads that were in progress, whose objects are not in a backup, and, with a reason, the messages that
   * were waiting. Returns how many.
   */
  settleRestored(options: { readonly giveUpMessages: string | undefined }): Promise<{
    readonly uploads: number;
    readonly messages: number;
  }>;
  /** Ends these files as they had already ended when the backup was made: with their drops, if they have one. */
  endFiles(files: readonly FilePosition[]): Promise<void>;
}
