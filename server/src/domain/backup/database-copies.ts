import type { FilePosition } from '../batch.ts';
import type { CheckedFile } from '../files/scrub-store.ts';

/** A sequence of objects that a row of the database names: `ID/00000000` and so on, up to this many. */
export interface NamedObjects {
  readonly id: string;
  readonly objects: number;
}

/** A restore of which no other process of Waybill can be connected to the database. */
export interface RestoreTurn {
  /** Aborted when the turn is lost. */
  readonly signal: AbortSignal;
  /** Whether an earlier restore was interrupted, and whether it had replaced the database by then. */
  readonly unfinished: 'none' | 'begun' | 'replaced';
}

/** How many day keys, and keys that sign the evidence log, a master key wraps. */
export interface UsedMasterKey {
  readonly version: number;
  readonly dayKeys: number;
  readonly logKeys: number;
}

/** A day that has a key, or whose key wraps something. */
export interface NamedDay {
  readonly day: number;
  /** How many keys of files and uploads its key wraps. */
  readonly files: number;
  /** Whether its key wraps anything: of files, uploads or links. */
  readonly isUsed: boolean;
  /** Whether its key wraps keys of files that are under a legal hold, so that it is not destroyed when the day is over. */
  readonly isHeld: boolean;
}

/** The database at one moment, whatever happens to it afterwards. */
export interface DatabaseMoment {
  readonly takenAt: Date;
  /** All of it, in the custom format of pg_dump. */
  dump(): AsyncIterable<Buffer>;
  /** All stored files, in the order of their keys. */
  files(): AsyncIterable<CheckedFile>;
  usedMasterKeys(): Promise<readonly UsedMasterKey[]>;
}

/** The database as a whole. Nothing here has a deadline. */
export interface DatabaseCopies {
  atOneMoment<Result>(work: (moment: DatabaseMoment) => Promise<Result>): Promise<Result>;
  usedMasterKeys(): Promise<readonly UsedMasterKey[]>;
  namedDays(): Promise<readonly NamedDay[]>;
  /** Throws if any session is connected but those of administration commands, and names them. */
  requireAlone(): Promise<void>;
  /** Remembers that this backup is complete, for whoever watches its age. */
  recordBackup(backup: {
    readonly id: string;
    readonly takenAt: Date;
    /** Stored files that are not in it. */
    readonly leftOut: number;
  }): Promise<void>;
  /** Remembers that a backup failed just now, for whoever watches for that. */
  recordBackupFailure(): Promise<void>;
  isEmpty(): Promise<boolean>;
  /** Throws when the tools that restore a dump are missing, are too old or cannot read it. Changes nothing. */
  checkDump(dump: AsyncIterable<Buffer>): Promise<void>;
  /**
   * Restores a backup while no other session is connected; throws if there are any, and names them. From the beginning
   * until the work has succeeded, the database is marked, and every other process of Waybill refuses it. If the work
   * fails before it has replaced the database, the mark is removed, and everything is as it was.
   */
  whileRestoring<Result>(backup: string, work: (turn: RestoreTurn) => Promise<Result>): Promise<Result>;
  /** Replaces everything in the database by the dump, in one transaction, which is committed when the dump has ended. */
  replace(dump: AsyncIterable<Buffer>): Promise<void>;
  /** The objects of all files and uploads, in the order of their ids. */
  namedObjects(): AsyncIterable<NamedObjects>;
  /** The ids of the objects of all day keys. */
  dayKeyObjects(): Promise<readonly string[]>;
  /**
   * Abandons the uploads that were in progress, whose objects are not in a backup, and, with a reason, the messages that
   * were waiting. Returns how many. Removes what was known about the objects of the bucket.
   */
  settleRestored(options: { readonly abandonMessages: string | undefined }): Promise<{
    readonly uploads: number;
    readonly messages: number;
  }>;
  /** Ends the drops, requests, files and uploads whose keys were wrapped by the key of this day, which is lost. */
  endFilesOfDay(day: number): Promise<void>;
  /** Ends these files as they had already ended when the backup was made: with their drops, if they have one. */
  endFiles(files: readonly FilePosition[]): Promise<void>;
}
