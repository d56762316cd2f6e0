import type { FilePosition } from '../batch.ts';

/**
 * The place of a day key. It wraps the keys of the files that end on its day, and is itself an object in the bucket, wrapped
 * by a master key: it is never in the database, and so not in a backup of it.
 */
export interface DayKey {
  /** Counted from 1970-01-01 in UTC. */
  readonly day: number;
  readonly objectId: string;
  readonly objectBytes: number;
  /** Of the master key that wraps it. */
  readonly version: number;
}

/** For the whole server, not for one account. */
export interface DayKeyStore {
  /** The database's time, in seconds since 1970. */
  clock(): Promise<number>;
  find(day: number): Promise<DayKey | undefined>;
  /** All of them, in the order of days. */
  list(): Promise<DayKey[]>;
  /** Called before an object is stored, so that it is deleted if it does not become the key of its day. */
  announce(objectId: string): Promise<void>;
  /**
   * Makes a stored object the key of its day, if the day has none, or in place of this one. False when another process
   * was faster, or the announcement is too old.
   */
  choose(key: DayKey, insteadOf: DayKey | undefined): Promise<boolean>;
  /** Removes the record of a key whose object is lost, so that its day can get another one. */
  remove(key: DayKey): Promise<void>;
  /** Drops the keys of days that ended this long ago, if they wrap nothing that is stored. Returns how many. */
  drop(endedSeconds: number): Promise<number>;
  /** Up to `count` objects that are not, and will not be, the key of a day. */
  leftovers(count: number): Promise<string[]>;
  /** Removes them from the record. Returns each with the day whose key it was, if it was one. */
  purge(objectIds: readonly string[]): Promise<{ readonly id: string; readonly day: number | null }[]>;
}

/** The owner of a key that is wrapped by another one: a file or an upload for its bytes, or a drop for its links. */
export type KeyOwner = 'files' | 'uploads' | 'drops';

/** A key that the key of this day wraps. */
export interface DayWrapped {
  readonly wrapped: Buffer;
  readonly day: number;
}

export interface OwnedKey extends FilePosition, DayWrapped {
  /** For how long the drop lives; null if there is none, or if it has ended. */
  readonly secondsLeft: number | null;
}

export interface ReplacedKey extends FilePosition, DayWrapped {
  readonly before: Buffer;
}

export type FilesOf = { readonly draft: string } | { readonly dropId: string } | { readonly files: readonly string[] };

/** For the whole server, not for one account. */
export interface WrappedKeyStore {
  /**
   * Up to `count` keys that are wrapped by the key of a day before this one, but by none of these, and whose owner lives
   * on.
   */
  overdue(owner: KeyOwner, day: number, count: number, exceptDays: readonly number[]): Promise<OwnedKey[]>;
  /** The keys of the stored files of a draft or a drop, or of staged files by their ids. */
  ofFiles(accountId: string, of: FilesOf): Promise<OwnedKey[]>;
  /**
   * Replaces wrapped keys that are still what they were. Those that are being changed at this moment are left as they
   * are, so that no request ever waits for us and we wait for none. Returns how many were replaced.
   */
  replace(owner: KeyOwner, keys: readonly ReplacedKey[]): Promise<number>;
}
