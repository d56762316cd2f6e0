/**
 * Wraps data keys with a versioned master key. `context` is bound to the wrapped key and must be given again to unwrap
 * it. Every call ends within seconds, with `unavailable` when the provider does not respond or refuses us, and `unwrap`
 * with `LostKey` when the provider responds that this key cannot be unwrapped.
 */
export interface KeyProvider {
  /** All that are known. The first one wraps. */
  list(): Promise<readonly MasterKey[]>;
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
  /** Of the master key. */
  readonly version: number;
}
