import type { DropType } from '@waybill/protocol';
import type { Batch, BatchSize } from '../batch.ts';
import type { Receiver } from '../contacts/contact-store.ts';

export interface Draft {
  readonly receivers: Receiver[];
  readonly listOpened: boolean;
  /** The last few, newest first. */
  readonly dispatches: readonly { readonly digest: Buffer; readonly ageSeconds: number }[];
}

export interface DraftStore {
  /** Creates the draft if necessary and locks it until the transaction ends. */
  lock(accountId: string, name: string): Promise<Draft>;
  /** Locks those that exist, until the transaction ends. */
  lockExisting(accountId: string, names: readonly string[]): Promise<void>;
  setReceivers(accountId: string, name: string, receivers: readonly Receiver[]): Promise<void>;
  openList(accountId: string, name: string): Promise<void>;
  /** Clears the receivers and, after a drop, that the list was opened; remembers this request and a few before it. */
  consume(
    accountId: string,
    name: string,
    dispatch: { readonly digest: Buffer; readonly type: DropType; readonly remembered: number },
  ): Promise<void>;
  /**
   * Removes drafts that have not been touched for this long, and those of requests that have ended. Their files become
   * deletions, and their uploads are abandoned. Returns how many drafts were removed.
   */
  dropStale(untouchedSeconds: number, batch: BatchSize): Promise<Batch>;
}
