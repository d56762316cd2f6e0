/**
 * The objects of the evidence log, which everybody may read. Their names are paths below `log/` in the bucket, such as
 * `1/checkpoint` and `1/tile/0/000`. Every call ends within seconds, with `unavailable` when the store does not respond.
 */
export interface LogObjects {
  /** Stores an object in place of the one with this name: checkpoints change, and a tile is written again after a crash. */
  put(name: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** Returns a whole object, or undefined if there is none. Throws `damaged` if it has more than `maxBytes`. */
  read(name: string, maxBytes: number, signal: AbortSignal): Promise<Buffer | undefined>;
  /** Deletes up to 1,000 objects; one that does not exist counts as deleted. */
  delete(names: readonly string[], signal: AbortSignal): Promise<void>;
}
