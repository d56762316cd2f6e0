import type { EventData } from '@waybill/evidence';
import type { LeafPosition } from './evidence-store.ts';

/** An epoch of the evidence log. Only the last one grows. */
export interface Log {
  readonly epoch: number;
  /** The name of the log in its checkpoints. */
  readonly origin: string;
  /** How many entries have a leaf of it. */
  readonly size: number;
  /** Stored before it is published, so that the bucket is never ahead of a database that has lost nothing. */
  readonly signedCheckpoint: string | null;
  readonly checkpoint: string | null;
  readonly publishedSize: number;
  readonly publishedAt: Date | null;
  readonly cosignedCheckpoint: string | null;
  readonly cosignedAt: Date | null;
  /** How many entries a time stamp covers. */
  readonly stampedSize: number;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  /** Why the sequencer refuses to sign at the moment, for an administrator. */
  readonly refusal: string | null;
}

/** A state of a log that an authority has stamped: RFC 3161. */
export interface LogTimeStamp {
  readonly size: number;
  readonly root: Buffer;
  readonly token: Buffer;
}

/** The right to write a log, until the lease ends or another process takes it. */
export interface LogTurn {
  readonly epoch: number;
  readonly fence: number;
}

export type SigningAlgorithm = 'ed25519' | 'ml-dsa-44';

/** The seed of a private key, and the version of the master key that wraps it. */
export interface WrappedSeed {
  readonly wrapped: Buffer;
  readonly version: number;
}

/** A private key is destroyed when its epoch ends, or when it is retired: both are null then. */
export type StoredSeed = WrappedSeed | { readonly wrapped: null; readonly version: null };

interface PublicLogKey {
  /** As signed notes name it. */
  readonly keyId: number;
  readonly algorithm: SigningAlgorithm;
  readonly publicKey: Buffer;
}

export type LogKey = PublicLogKey &
  StoredSeed & { readonly epoch: number; readonly createdAt: Date; readonly retiredAt: Date | null };

export type NewLogKey = PublicLogKey & WrappedSeed;

export interface EntryPosition {
  readonly accountId: string;
  readonly id: string;
}

/** An entry without a leaf, and the number that it would have in its story if it were the next. */
export interface WaitingEntry extends EntryPosition {
  readonly at: Date;
  readonly kind: string;
  readonly dropId: string | null;
  readonly position: number | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly salt: Buffer;
  readonly number: number;
}

/** An entry that has a leaf. */
export interface PlacedEntry extends EntryPosition {
  readonly leafIndex: number;
  readonly commitment: Buffer;
}

/** An entry of the log's own story, as it is written with its leaf. */
export interface FirstEntry {
  readonly id: string;
  readonly at: Date;
  readonly number: number;
  readonly data: EventData<'log.started'>;
  readonly salt: Buffer;
  readonly commitment: Buffer;
}

/** Counts of waiting entries, and the state of the last epoch; for metrics and the doctor. */
export interface LogCondition {
  /** Entries that no published checkpoint covers, up to 10,000. */
  readonly waiting: number;
  /** The entries among them whose place is in an epoch that has ended, where nothing will be published. */
  readonly stranded: number;
  /** How long the oldest of all that wait has been waiting; 0 if there is none. */
  readonly lagSeconds: number;
  /** Since the last checkpoint was published; null before the first. */
  readonly checkpointSeconds: number | null;
  /** Since a witness last cosigned a checkpoint; null before the first. */
  readonly cosignedSeconds: number | null;
  /** The age of the oldest published entry that no time stamp covers; 0 if there is none. */
  readonly unstampedSeconds: number;
  /** Why the last request for a time stamp failed; null if it succeeded. */
  readonly stampFailure: string | null;
  readonly refusal: string | null;
}

/** For the whole server, not for one account. */
export interface EvidenceLogStore {
  /** All epochs, the first one first. */
  list(): Promise<Log[]>;
  find(epoch: number): Promise<Log | undefined>;
  /** The keys of all epochs, or of one; retired ones included. */
  listKeys(epoch?: number): Promise<LogKey[]>;
  readCondition(): Promise<LogCondition>;

  /** Takes the lease of the last epoch, unless another process has it. */
  take(leaseSeconds: number): Promise<{ readonly turn: LogTurn; readonly log: Log } | undefined>;
  /** Extends the lease and returns the log; undefined when the turn is over. */
  renew(turn: LogTurn, leaseSeconds: number): Promise<Log | undefined>;
  release(turn: LogTurn): Promise<void>;
  /** Takes the turn from whoever has it, who may go on for `heldSeconds`; undefined if there is no epoch. */
  seize(
    leaseSeconds: number,
  ): Promise<{ readonly turn: LogTurn; readonly log: Log; readonly heldSeconds: number } | undefined>;

  /** Up to `count` entries without a leaf, in the order in which they were written; fewer if they are large. */
  waiting(count: number): Promise<WaitingEntry[]>;
  /**
   * Gives these entries the leaves from `size` on. In a transaction, which must not be committed if it returns false: the
   * turn is over, the log has another size, or one of them has a leaf already.
   */
  assign(
    turn: LogTurn,
    size: number,
    entries: readonly (EntryPosition & { readonly number: number; readonly commitment: Uint8Array })[],
  ): Promise<boolean>;
  /** Entries of an epoch in the order of their leaves, from one on. */
  placed(epoch: number, from: number, count: number): Promise<PlacedEntry[]>;
  /**
   * Stores a checkpoint before it is published. False when the turn is over, a larger one is stored already, or the log has
   * fewer entries.
   */
  sign(turn: LogTurn, size: number, note: string): Promise<boolean>;
  /**
   * Records that a checkpoint of the last epoch, or of an earlier one, is in the bucket. False when the turn is over, a larger
   * one is recorded already, or that epoch has fewer entries.
   */
  publish(turn: LogTurn, size: number, note: string, epoch?: number): Promise<boolean>;
  /** Keeps a published checkpoint with the signatures of witnesses. False if a larger one is cosigned already. */
  cosign(epoch: number, size: number, note: string): Promise<boolean>;
  /**
   * Takes the turn to request a time stamp: of the first epoch with published entries that none covers, if its last request
   * is long enough ago. The next one may be made after `everySeconds`.
   */
  takeStampTurn(everySeconds: number): Promise<{ readonly log: Log; readonly failures: number } | undefined>;
  addTimeStamp(epoch: number, stamp: LogTimeStamp): Promise<void>;
  /** Records why a request failed. The next one may be made after `retrySeconds`. */
  recordStampFailure(epoch: number, failure: string, retrySeconds: number): Promise<void>;
  /** The first time stamp that covers a leaf, of those of at most `maxSize` entries. */
  findTimeStamp(leaf: LeafPosition, maxSize: number): Promise<LogTimeStamp | undefined>;
  /** Records why nothing is signed, or that it is again. */
  setRefusal(turn: LogTurn, refusal: string | null): Promise<void>;

  /**
   * Ends the epoch of a turn, or none if there is none yet, and starts this one with its first entry and its keys. Destroys
   * every other private key. In a transaction, which must not be committed if it returns false: the turn is over, or another
   * process has started an epoch.
   */
  start(
    log: { readonly epoch: number; readonly origin: string; readonly after: LogTurn | undefined },
    first: FirstEntry,
    keys: readonly NewLogKey[],
  ): Promise<boolean>;
  /** The number of the next entry in the log's own story. */
  nextNumber(): Promise<number>;
  /**
   * Takes their leaves in an epoch from entries that are not published, so that the next epoch logs them; not from erased ones.
   * Returns how many, or undefined when the turn is over.
   */
  unassign(turn: LogTurn, epoch: number, entries: readonly EntryPosition[]): Promise<number | undefined>;

  /** Lets only one transaction at a time change the keys of an epoch. False if it has ended. */
  lockKeys(epoch: number): Promise<boolean>;
  addKey(epoch: number, key: NewLogKey): Promise<void>;
  /** Destroys the private key. False if it is retired already. */
  retireKey(epoch: number, keyId: number): Promise<boolean>;
  /** Replaces a wrapped key that is still what it was. */
  replaceKey(key: Pick<LogKey, 'epoch' | 'keyId'> & Pick<WrappedSeed, 'wrapped'>, by: WrappedSeed): Promise<boolean>;
}
