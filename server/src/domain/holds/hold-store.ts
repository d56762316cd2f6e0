import type { Batch, BatchPosition } from '../batch.ts';

/** A legal hold: while it is in force, nothing of its drop, or of its whole account, is deleted. */
export interface Hold {
  readonly id: string;
  readonly accountId: string;
  /** The account's address. */
  readonly account: string;
  /** Null: everything of the account. */
  readonly dropId: string | null;
  readonly name: string;
  readonly reason: string;
  readonly placedBy: string;
  /** As text, with microseconds. */
  readonly placedAt: string;
  readonly releasedBy: string | null;
  readonly releasedAt: Date | null;
}

export interface HoldStore {
  /**
   * Waits for deletions that have begun; later ones see the hold. Must be called in a transaction. False when the
   * account has no such drop.
   */
  place(hold: Pick<Hold, 'id' | 'accountId' | 'dropId' | 'name' | 'reason' | 'placedBy'>): Promise<boolean>;
  /** Returns the hold, or undefined when there is none in force with this id. */
  release(id: string, releasedBy: string): Promise<Pick<Hold, 'accountId' | 'dropId' | 'name'> | undefined>;
  /** In the order of placing, after `after`; of all accounts, or of one. */
  page(
    filter: { readonly accountId: string | undefined; readonly released: boolean },
    after: Pick<Hold, 'placedAt' | 'id'> | undefined,
    count: number,
  ): Promise<Hold[]>;
  /** Deletes up to `count` files that a released hold kept and no other hold keeps. */
  emptyReleased(count: number, after?: BatchPosition): Promise<Batch>;
  /** Removes up to `count` holds that were released this long ago and keep nothing any more. */
  purge(olderThanSeconds: number, count: number, after?: BatchPosition): Promise<Batch>;
}
