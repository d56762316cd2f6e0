import type { ChunkRun, DeletionStore } from './files.ts';
import type { Link } from './links.ts';

/** An upload in progress. It may be interrupted and resumed, in any process. */
export interface Upload {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  /** Null while the length is not known. */
  readonly sizeBytes: number | null;
  /** Stored for good: whole segments, or all of the file. */
  readonly receivedBytes: number;
  /** All of it is stored. The count alone does not say so of an empty file. */
  readonly received: boolean;
  readonly runs: readonly ChunkRun[];
  /** Objects of the last run that are numbered below this may exist. */
  readonly chunkCount: number;
  readonly wrappedKey: Buffer;
  readonly keyVersion: number;
}

/** The one request that may store bytes of an upload. */
export interface UploadWriter {
  readonly accountId: string;
  readonly id: string;
  readonly writer: string;
}

export interface CompleteUpload {
  readonly sizeBytes: number;
  readonly sha256: Buffer;
  readonly scan: 'clean' | 'unscanned';
  readonly runs: readonly ChunkRun[];
  readonly chunkCount: number;
}

/** A file that a contact is preparing to send. */
export interface DeskFile {
  readonly id: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly receivedBytes: number;
  readonly state: 'uploading' | 'checking' | 'ready' | 'refused';
}

export type Refusal = 'infected' | 'too_large_to_scan' | 'encrypted' | 'damaged' | 'unchecked';

/** Of two writers the later one continues: after `takeOver`, nothing the earlier one does has an effect. */
export interface UploadStore extends DeletionStore {
  begin(
    writer: UploadWriter,
    upload: Pick<Upload, 'name' | 'mediaType' | 'sizeBytes' | 'wrappedKey' | 'keyVersion' | 'chunkCount'> & {
      draft: string;
    },
    leaseSeconds: number,
  ): Promise<void>;
  takeOver(writer: UploadWriter, draft: string, leaseSeconds: number): Promise<Upload | undefined>;
  /** Extends the leases of these writers. Returns the ids of those that still are the writers of their uploads. */
  renew(writers: readonly UploadWriter[], leaseSeconds: number): Promise<ReadonlySet<string>>;
  /** Before objects of the last run numbered below `chunkCount` are stored. False when another writer has taken over. */
  claim(writer: UploadWriter, chunkCount: number): Promise<boolean>;
  /** Another run begins, and its objects numbered below `chunkCount` are claimed. False when another writer has taken over. */
  beginRun(writer: UploadWriter, runs: readonly ChunkRun[], chunkCount: number): Promise<boolean>;
  /** So many bytes are stored for good. False when another writer has taken over. */
  commit(writer: UploadWriter, receivedBytes: number): Promise<boolean>;
  /** Everything is stored: enqueues the job that checks it. False when another writer has taken over. */
  requestCheck(writer: UploadWriter): Promise<boolean>;
  /** Turns the writer's upload into a file, replacing a staged one of its name. False when it is no longer the writer. */
  complete(writer: UploadWriter, upload: CompleteUpload): Promise<boolean>;
  /** Destroys the key; the objects are deleted later, when none can still be on its way to the store. */
  giveUp(writer: UploadWriter): Promise<void>;
  /** Gives up to `count` uploads up that nobody has resumed in time. Returns how many. */
  expire(count: number): Promise<number>;
  /** The files on a desk: those being uploaded, those ready to be sent, those refused. */
  desk(accountId: string, draft: string): Promise<DeskFile[]>;
  /** The sizes of all files that were sent through a grant's link, or lie on its desk. */
  bytesThrough(link: Pick<Link, 'accountId' | 'dropId' | 'position'>, draft: string): Promise<number>;
  /** False when there is no such file on the desk. */
  remove(accountId: string, draft: string, id: string): Promise<boolean>;
  /** An upload that is due for its check; nobody else gets it within the lease. Counts the attempt. */
  takeForCheck(accountId: string, id: string, leaseSeconds: number): Promise<UncheckedUpload | undefined>;
  /** False when it is no longer to be checked. */
  holdForCheck(accountId: string, id: string, leaseSeconds: number): Promise<boolean>;
  /** Has the check made again after a pause; so many checks count. */
  retryCheck(accountId: string, id: string, next: { checks: number; pauseSeconds: number }): Promise<void>;
  /** Turns a checked upload into a file on its desk, replacing one of its name. False when it was removed meanwhile. */
  accept(accountId: string, id: string, upload: CompleteUpload): Promise<boolean>;
  refuse(accountId: string, id: string, refusal: Refusal): Promise<void>;
  /** Has up to `count` uploads checked whose check is overdue because its job was lost. Returns how many. */
  wakeOverdue(overdueSeconds: number, count: number): Promise<number>;
}

export interface UncheckedUpload {
  readonly accountId: string;
  readonly id: string;
  readonly draft: string;
  readonly sizeBytes: number;
  readonly wrappedKey: Buffer;
  readonly keyVersion: number;
  readonly runs: readonly ChunkRun[];
  readonly chunkCount: number;
  /** How often it has been checked, this time included. */
  readonly checks: number;
}
