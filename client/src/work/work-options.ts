import type { CallOptions } from '../call-options.ts';
import type { InboxEntry } from '../generated/wire.ts';
import type { WorkEntry } from './work-entry.ts';

/**
 * Works on an entry. When it resolves, the entry is acknowledged, also after `entry.signal` was aborted: throw then if
 * the work is not finished. It may be called again for the same entry, by any program that shares the inbox, so repeating
 * it must be harmless.
 */
export type WorkHandler = (entry: WorkEntry) => Promise<void>;

/**
 * A decision on an entry after an error.
 *
 * - `refuse`: it is given back, and is parked after too many refusals.
 * - `return`: it is given back, and is not parked.
 * - `keep`: it stays claimed, and the handler is called again after a pause. If the server can read other entries
 *   meanwhile, it is returned.
 * - `stop`: it is returned, and `work` ends with the error.
 */
export type Verdict = 'refuse' | 'return' | 'keep' | 'stop';

/** An error that did not end the work. */
export interface WorkProblem {
  /** The error. */
  error: unknown;
  /**
   * The fate of the entry: see `Verdict` for the first three. `lost`: its lease was lost, or the
   * server could not be told for minutes that the work is done, so another program may have it. `waiting`: no entry is concerned, and the work continues after a pause.
   */
  outcome: 'refused' | 'returned' | 'kept' | 'lost' | 'waiting';
  /** The entry, if one is concerned. If it was given back, `available_at` or `parked_at` is set. */
  entry?: InboxEntry;
}

/** A request that claims entries. */
export interface InboxClaim {
  /** The key that makes it idempotent. */
  key: string;
  /** The maximum number of entries that it asks for. */
  max: number;
}

/** Stores claims, so that the entries of a process that was killed are not claimed until their leases end. */
export interface ClaimStore {
  /** Returns the claims that an earlier process has not ended. Their entries are given back at once. */
  list(): Promise<InboxClaim[]>;
  /** Stores a claim. It is made when this resolves. */
  begin(claim: InboxClaim): Promise<void>;
  /** Deletes a claim: all its entries are settled. */
  end(claim: InboxClaim): Promise<void>;
}

/** How to work on the inbox. */
export interface WorkOptions extends CallOptions {
  /** How many entries are worked on at the same time, up to 100. Defaults to 1. */
  concurrency?: number | undefined;
  /** Called with every error that does not end the work. It must not throw. */
  onError?: ((problem: WorkProblem) => void) | undefined;
  /**
   * Decides what becomes of an entry after an error. By default, an error of the server or of the network is no refusal:
   * the entry is kept or returned. An error of the account, such as a revoked key, stops the work. Any other error refuses
   * the entry.
   */
  judge?: ((error: unknown) => Verdict) | undefined;
  /** How often the inbox is checked even if nothing arrives, in seconds. Defaults to 30. */
  pollSeconds?: number | undefined;
  /** Ends the work when no entry is available, and also when the server is away. By default, it waits. */
  untilEmpty?: boolean | undefined;
  /** Stores claims, for a process that continues after this one was killed. */
  claimStore?: ClaimStore | undefined;
}
