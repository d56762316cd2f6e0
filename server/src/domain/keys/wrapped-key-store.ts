import type { FilePosition } from '../file-position.ts';

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
