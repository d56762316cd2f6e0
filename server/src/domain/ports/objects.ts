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

/**
 * Wraps data keys with a versioned master key. `context` is bound to the wrapped key and must be given again to unwrap
 * it. Every call ends within seconds, with `unavailable` when the provider does not respond or refuses us, and `unwrap`
 * with `LostKey` when the provider responds that this key cannot be unwrapped.
 */
export interface KeyProvider {
  /** All that are known. The first one wraps. */
  masterKeys(): Promise<readonly MasterKey[]>;
  wrap(dataKey: Buffer, context: string): Promise<Wrapped>;
  unwrap(wrapped: Buffer, version: number, context: string): Promise<Buffer>;
}

export interface MasterKey {
  /** Above 0. */
  readonly version: number;
  /** Tells keys apart without revealing anything about them. */
  readonly fingerprint: string;
}

export interface Wrapped {
  readonly wrapped: Buffer;
  /** Of a master key; or the day of a day key, as a negative number. */
  readonly version: number;
}

export interface WrappedKey extends Wrapped {
  readonly context: string;
}
