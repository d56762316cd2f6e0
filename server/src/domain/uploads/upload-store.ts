import type { ChunkRun, DeletionStore, FileLine, UnscannedReason } from '../files/file-store.ts';

import type { Link } from '../links/link-store.ts';

/** An upload in progress. It may be interrupted and resumed, in any process. */
export interface Upload {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  /** Null while the length is not known. */
  readonly sizeBytes: number | null;
  /** Stored permanently: whole segments, or all of the file. */
  readonly receivedBytes: number;
  /** All of it is stored. For an empty file, the count alone does not show this. */
  readonly received: boolean;
  readonly runs: readonly ChunkRun[];
  /** Objects of the last run that are numbered below this may exist. */
  readonly chunkCount: number;
  readonly wrappedKey: Buffer;
  readonly keyDay: number;
  readonly declared: DeclaredDigests;
}

/** The digests that the sender declares. The file is refused if its own are different. */
export interface DeclaredDigests {
  readonly sha256: Buffer | null;
  readonly sha512: Buffer | null;
}

/** The one request that may store bytes of an upload. */
export interface UploadWriter {
  readonly accountId: string;
  readonly id: string;
  readonly writer: string;
}

/** The writer from now on: a request, or no one yet. */
export type NextWriter = Omit<UploadWriter, 'writer'> & { readonly writer: string | null };

export interface CompleteUpload {
  readonly sizeBytes: number;
  readonly sha256: Buffer;
  readonly crc32: number;
  readonly scan: 'clean' | 'unscanned';
  readonly unscannedReason: UnscannedReason | null;
  readonly runs: readonly ChunkRun[];
  readonly chunkCount: number;
}

/** A file that a contact is preparing to send. */
export interface DraftFile {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly receivedBytes: number;
  readonly state: 'uploading' | 'checking' | 'ready' | 'refused';
  /** Null before it is ready. */
  readonly scan: FileLine['scan'] | null;
  /** Null unless it was accepted without a scan. */
  readonly unscannedReason: UnscannedReason | null;
  /** Why it was refused. */
  readonly refusal: Refusal | null;
}

export type Refusal = 'infected' | 'too_large_to_scan' | 'encrypted' | 'damaged' | 'unchecked' | 'digest_mismatch';

/** A file that an account has uploaded, or is uploading, and has not sent. */
export interface AccountUpload extends DraftFile {
  readonly mediaType: string;
  /** Why it was accepted without a scan. */
  readonly unscannedReason: UnscannedReason | null;
  /** Null before it is ready. */
  readonly sha256: Buffer | null;
  readonly createdAt: Date;
  /** Until when it may be continued. Null if there is nothing to continue. */
  readonly resumableUntil: Date | null;
  /** Since when it is kept without being used. */
  readonly unusedSince: Date;
}

/** Of two writers, the later one continues: after `takeOver`, nothing the earlier one does has any effect. */
export interface UploadStore extends DeletionStore {
  /** Reserves bytes of what the account may store; rejects with `storage_full` if there are too few. */
  begin(
    writer: NextWriter,
    upload: Omit<Upload, 'id' | 'receivedBytes' | 'received' | 'runs'> & {
      reservedBytes: number;
      /** The account's limit, which applies to this upload until it ends; null: none. */
      maxStoredBytes: number | null;
      draft: string;
      /** The key of the account, or the person, that sends it; neither: a contact does. */
      keyId: string | null;
      personId: string | null;
      /** Null if it is the same as the name. */
      path: string | null;
    },
    leaseSeconds: number,
  ): Promise<void>;
  takeOver(writer: NextWriter, draft: string, leaseSeconds: number): Promise<Upload | undefined>;
  /** How many bytes of it are stored, if it has a writer. */
  storedByWriter(accountId: string, draft: string, id: string): Promise<number | undefined>;
  /** Records that the writer stores nothing more. */
  leave(writer: UploadWriter): Promise<void>;
  /** Extends the leases of these writers. Returns the ids of those that are still the writers of their uploads. */
  renew(writers: readonly UploadWriter[], leaseSeconds: number): Promise<ReadonlySet<string>>;
  /**
   * Called before objects of the last run numbered below `chunkCount` are stored. Reserves this many bytes for the
   * upload, unless it has more; rejects with `storage_full` if there are too few. False when another writer has taken
   * over.
   */
  claim(writer: UploadWriter, chunkCount: number, reservedBytes: number): Promise<boolean>;
  /** Begins another run, and claims its objects numbered below `chunkCount` and these bytes as `claim` does. */
  beginRun(
    writer: UploadWriter,
    runs: readonly ChunkRun[],
    chunkCount: number,
    reservedBytes: number,
  ): Promise<boolean>;
  /** Records that this many bytes are stored permanently. False when another writer has taken over. */
  commit(writer: UploadWriter, receivedBytes: number): Promise<boolean>;
  /** Records the declared digests. False when another writer has taken over. */
  declare(writer: UploadWriter, declared: DeclaredDigests): Promise<boolean>;
  /**
   * Records that everything is stored and enqueues the job that checks it. False when another writer has taken over.
   */
  requestCheck(writer: UploadWriter): Promise<boolean>;
  /** Locks uploads until the transaction ends: several are locked before the first of them changes the usage. */
  lock(accountId: string, ids: readonly string[]): Promise<void>;
  /**
   * Turns the writer's upload into a file, replacing a staged file with the same path. If a file with another path has
   * its name, a number is added to the name. False when it is no longer the writer.
   */
  complete(writer: UploadWriter, upload: CompleteUpload): Promise<boolean>;
  /** Destroys the key; the objects are deleted later, when none can still be on the way to the store. */
  abandon(writer: UploadWriter): Promise<void>;
  /** Abandons up to `count` uploads that were not resumed in time. Returns how many. */
  expire(count: number): Promise<number>;
  /** The files in a contact draft: those being uploaded, those ready to be sent, and those refused. */
  listDraftFiles(accountId: string, draft: string): Promise<DraftFile[]>;
  /** The files and uploads with these ids in these drafts that are not in a drop, locked if desired. */
  inDrafts(
    accountId: string,
    ids: readonly string[],
    drafts: readonly string[],
    options?: { readonly lock: boolean },
  ): Promise<AccountUpload[]>;
  /** The uploads of the account's programs that are not in a drop, the newest first, after the one with the id `after`. */
  page(
    accountId: string,
    state: AccountUpload['state'] | undefined,
    after: string | undefined,
    count: number,
  ): Promise<AccountUpload[]>;
  /** The total size of all files that were sent through a request's link or are in its contact draft. */
  bytesThrough(link: Pick<Link, 'accountId' | 'dropId' | 'position'>, draft: string): Promise<number>;
  /** False when there is no such file in the contact draft. */
  remove(accountId: string, draft: string, id: string): Promise<boolean>;
  /** Returns an upload that is due for its check; no other worker gets it during the lease. Counts the attempt. */
  acquireForCheck(accountId: string, id: string, leaseSeconds: number): Promise<UncheckedUpload | undefined>;
  /** False when it is no longer to be checked. */
  holdForCheck(accountId: string, id: string, leaseSeconds: number): Promise<boolean>;
  /** Schedules the check again after a pause; `checks` is the number of checks that count. */
  retryCheck(accountId: string, id: string, next: { checks: number; pauseSeconds: number }): Promise<void>;
  /** Turns a checked upload into a file in its contact draft, as `complete` does. False when it was removed in the meantime. */
  accept(accountId: string, id: string, upload: CompleteUpload): Promise<boolean>;
  refuse(accountId: string, id: string, refusal: Refusal): Promise<void>;
  /** Reschedules the checks of up to `count` uploads that are overdue because the job was lost. Returns how many. */
  wakeOverdue(overdueSeconds: number, count: number): Promise<number>;
}

export interface UncheckedUpload {
  readonly accountId: string;
  readonly id: string;
  readonly draft: string;
  /** The key or the person that announced it. Both null: a contact did. */
  readonly keyId: string | null;
  readonly personId: string | null;
  readonly sizeBytes: number;
  readonly wrappedKey: Buffer;
  readonly keyDay: number;
  readonly runs: readonly ChunkRun[];
  readonly chunkCount: number;
  readonly declared: DeclaredDigests;
  /** How often it has been checked, including this time. */
  readonly checks: number;
}
