/** How much one statement of a sweep does: for up to so many drops or drafts, up to so many rows of each kind. */
export interface BatchSize {
  readonly owners: number;
  readonly rows: number;
}

export interface Batch {
  readonly rows: number;
  /** There may be more to do. */
  readonly more: boolean;
}

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
  readonly sizeBytes: number;
  readonly sha256: Buffer;
  readonly scan: 'clean' | 'unscanned';
  readonly wrappedKey: Buffer;
  readonly keyVersion: number;
  readonly runs: readonly ChunkRun[];
}

export interface InboxFile extends SealedFile {
  readonly dropId: string;
}

/** A sequence of objects under a prefix of its own. A file whose writer was never replaced has no list of them. */
export interface ChunkRun {
  readonly id: string;
  readonly firstSegment: number;
  readonly segmentsPerChunk: number;
  /** Objects numbered below this may exist. Null in the last run, where the file or upload itself has the count. */
  readonly objects: number | null;
}

/** What is to be deleted from the object store: see `takeKeys`. */
export interface Deletion {
  readonly accountId: string;
  readonly id: string;
  readonly chunkCount: number;
  readonly runs: readonly ChunkRun[];
}

/** Where objects to be deleted are found: files whose key is destroyed, and uploads that have ended without a file. */
export interface DeletionStore {
  /** Takes up to `count` that are due, each for `leaseSeconds`. */
  takeDeletions(count: number, leaseSeconds: number): Promise<Deletion[]>;
  /** Notes which objects remain. Those without any are done. */
  settleDeletions(deletions: readonly Deletion[]): Promise<void>;
}

export interface FileStore extends DeletionStore {
  staged(accountId: string, draft: string): Promise<StagedFile[]>;
  countStaged(accountId: string, draft: string): Promise<number>;
  /** False when there is no staged file of that name. */
  removeStaged(accountId: string, draft: string, name: string): Promise<boolean>;
  /** Gives the draft's staged files to a drop. Returns how many. */
  moveToDrop(accountId: string, draft: string, dropId: string): Promise<number>;
  /** A file of a live inbox entry of this account. */
  inInbox(accountId: string, entryId: string, name: string): Promise<InboxFile | undefined>;
}

export interface FileLine {
  readonly name: string;
  readonly scan: 'clean' | 'unscanned';
}
