import type { DropType, Receiver } from '@waybill/protocol';
import type { Batch, BatchSize } from './files.ts';

export interface Draft {
  readonly receivers: Receiver[];
  readonly listOpened: boolean;
  /** The last few, newest first. */
  readonly dispatches: readonly { readonly digest: Buffer; readonly ageSeconds: number }[];
}

export interface DraftStore {
  /** Makes the draft if need be and holds it until the transaction ends. */
  lock(accountId: string, name: string): Promise<Draft>;
  setReceivers(accountId: string, name: string, receivers: readonly Receiver[]): Promise<void>;
  openList(accountId: string, name: string): Promise<void>;
  /** Forgets the receivers and, after a drop, that the list was opened; remembers this request and a few before it. */
  consume(
    accountId: string,
    name: string,
    dispatch: { readonly digest: Buffer; readonly type: DropType; readonly remembered: number },
  ): Promise<void>;
  /**
   * Drops drafts untouched for so long, and those of grants that have ended; their files become deletions, and their
   * uploads are given up. Returns how many drafts were dropped.
   */
  dropStale(untouchedSeconds: number, batch: BatchSize): Promise<Batch>;
}
