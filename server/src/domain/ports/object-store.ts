/**
 * Objects are written once and never changed; a key never contains anything that a user chose. Every call ends within
 * seconds, including repeated attempts: with `unavailable` when the store does not respond, with `MissingObject` when the
 * object is not there, and with `damaged` when it is too short.
 */
export interface ObjectStore {
  /** Stores these pieces, one after the other, as one object. They must not change until the call ends. */
  put(key: string, pieces: readonly Buffer[], signal: AbortSignal): Promise<void>;
  /** Returns these bytes of the object, all of them or none. */
  read(key: string, part: { offset: number; length: number }, signal: AbortSignal): Promise<Buffer>;
  /** The time to the first byte of a read that waits for no other. */
  readonly firstByteMs: number;
  /**
   * Deletes up to 1,000 objects; one that does not exist counts as deleted. Returns the keys of those that the store did
   * not delete although it responds.
   */
  delete(keys: readonly string[]): Promise<readonly string[]>;
}
