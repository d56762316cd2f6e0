import type { ObjectStore } from '../ports/object-store.ts';

/** An object of the bucket, and how many of its bytes are needed. */
export interface NeededObject {
  readonly key: string;
  readonly bytes: number;
}

/** A place for backups. All backups in one place share the objects, which never change. */
export interface BackupPlace {
  /** The names of the folders in this folder. */
  folders(folder: string): Promise<string[]>;
  /** Stores a file. It is there only when all of it is. */
  write(name: string, content: AsyncIterable<Buffer>): Promise<void>;
  /** Throws MissingObject when it is not there. */
  read(name: string): AsyncIterable<Buffer>;
  /** Removes a file, if it is there, and its folder with the last one. */
  remove(name: string): Promise<void>;
  /** Removes up to 1,000 objects that are here. */
  removeObjects(keys: readonly string[]): Promise<void>;
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

/** Operations on the bucket that only backups need. */
export interface BucketInventory {
  isEmpty(): Promise<boolean>;
  has(object: NeededObject): Promise<boolean>;
  /** All keys, in the order of their bytes. */
  keys(): AsyncIterable<string>;
}
