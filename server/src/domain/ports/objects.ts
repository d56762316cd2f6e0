/**
 * Objects are written once and never changed; a key never contains anything a user chose. Every call ends within seconds,
 * repeated attempts included: with `unavailable` when the store does not answer, with `damaged` when the object is not
 * there or too short.
 */
export interface ObjectStore {
  /** The object is these pieces, one after the other. They must not change until the call ends. */
  put(key: string, pieces: readonly Buffer[], signal: AbortSignal): Promise<void>;
  /** These bytes of the object, all of them or none. */
  read(key: string, part: { offset: number; length: number }, signal: AbortSignal): Promise<Buffer>;
  /** Deletes up to 1,000 objects; one that does not exist counts as deleted. */
  delete(keys: readonly string[]): Promise<void>;
}

/** Wraps data keys by a versioned master key. `context` is bound to the wrapped key and must be given again. */
export interface KeyProvider {
  readonly currentVersion: number;
  wrap(dataKey: Buffer, context: string): Promise<Buffer>;
  unwrap(wrapped: Buffer, version: number, context: string): Promise<Buffer>;
}

export interface WrappedKey {
  readonly wrapped: Buffer;
  readonly version: number;
  readonly context: string;
}
