import type { FilePosition } from '../batch.ts';
import type { SealedFile } from './file-store.ts';

/** The part of a file that is needed to read and check all its bytes. */
export type CheckedFile = Pick<
  SealedFile,
  'accountId' | 'id' | 'sizeBytes' | 'sha256' | 'wrappedKey' | 'keyDay' | 'runs'
>;

export interface ScrubbedFile extends CheckedFile {
  /** Whether it is recorded as damaged. */
  readonly isRecorded: boolean;
}

export interface FilePage {
  readonly files: readonly ScrubbedFile[];
  /** The start of the next page; undefined on the last page. */
  readonly next: FilePosition | undefined;
}

/**
 * A fault of a file: an object is missing, the store fails for an object, an object is not what was sealed
 * there, the whole does not have the digest of what was uploaded, or its key cannot be unwrapped.
 */
export interface Damage {
  /** The first object that is wrong. */
  readonly object: string;
  readonly problem: 'missing' | 'unreadable' | 'damaged' | 'digest' | 'key';
}

export interface DamagedFile extends Damage, FilePosition {
  readonly account: string;
  readonly dropId: string | null;
  readonly name: string;
  readonly foundAt: Date;
}

/** One pass over all stored files. */
export interface ScrubPass {
  readonly startedAt: Date;
  readonly startedSeconds: number;
  /** Null while the pass is in progress. */
  readonly completedAt: Date | null;
  /** Everything before this file is done, and so are this many objects of it. */
  readonly position: FilePosition & { readonly objects: number };
  readonly files: number;
  readonly bytes: number;
}

/** For the whole server, not for one account. */
export interface ScrubStore {
  /** The pass in progress, or the last one; undefined before the first. */
  pass(): Promise<ScrubPass | undefined>;
  begin(): Promise<void>;
  /** Records how far the pass is. */
  advance(pass: Pick<ScrubPass, 'position' | 'files' | 'bytes'>): Promise<void>;
  complete(): Promise<void>;
  /** The ready files among the next `count` files, starting with this one. */
  filesFrom(position: FilePosition, count: number): Promise<FilePage>;
  /** False when the file is no longer stored, which is why its objects are not. */
  record(file: FilePosition, damage: Damage): Promise<boolean>;
  /** The file reads well. */
  clear(file: FilePosition): Promise<void>;
  /** Stored files that are damaged, in the order of their keys, after `after`. */
  damaged(after: FilePosition | undefined, count: number): Promise<DamagedFile[]>;
  countDamaged(): Promise<number>;
}
