import type { EventType } from '@waybill/protocol/v1';

interface EventContent {
  readonly accountId: string;
  readonly type: EventType;
  /** As it is shown to the account: ids, addresses and names, never a link, a message or content. */
  readonly data: Readonly<Record<string, string | number | null>>;
}

export interface NewEvent extends EventContent {
  /** The drop or request whose reference and external id the store adds to the data. Another account's, if it was received. */
  readonly about?: { readonly accountId: string; readonly dropId: string };
}

/** Which events are read: those that match everything that is given. */
export interface EventFilter {
  readonly types?: readonly string[] | undefined;
  readonly dropId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly externalId?: string | undefined;
}

/** A place in the order of all events. */
export interface EventPosition {
  readonly epoch: number;
  /** Up to 64 bits, in decimal. */
  readonly transactionId: string;
  readonly sequence: number;
}

export interface StoredEvent extends EventContent {
  readonly id: string;
  readonly createdAt: Date;
  readonly position: EventPosition;
}

export interface EventPage {
  readonly events: readonly StoredEvent[];
  /** Where the next page begins: no event will ever be inserted before it. */
  readonly next: EventPosition;
  /** There may be more: the page is full, or the events that match a filter are further away than one query looks. */
  readonly more: boolean;
  /** Events after the given position were purged, or the position is not one of this database. */
  readonly lost: boolean;
}

/**
 * Readers get only events below the oldest transaction that is still running. What they get is complete, and stays in
 * the same order, whatever commits later.
 */
export interface EventStore {
  /** Writes events in the transaction that makes them true. One statement, however many there are. */
  append(events: readonly NewEvent[]): Promise<void>;
  /**
   * The account's events after a position, or from the oldest one. A filter that matches few events does not make it read
   * all of them: the page may then be empty although there are more.
   */
  page(accountId: string, after: EventPosition | undefined, limit: number, filter?: EventFilter): Promise<EventPage>;
  /** The events of all accounts after a position, or from the oldest one. */
  pageOfAll(after: EventPosition | undefined, limit: number): Promise<EventPage>;
  /** The position after everything that readers can see. */
  end(): Promise<EventPosition>;
  /** Removes up to `count` of the first events that are this old. Returns how many. */
  purge(olderThanSeconds: number, count: number): Promise<number>;
}

/** Negative when the first is earlier, positive when it is later. */
export function comparePositions(one: EventPosition, other: EventPosition): number {
  return (
    one.epoch - other.epoch ||
    Number(BigInt(one.transactionId) - BigInt(other.transactionId)) ||
    one.sequence - other.sequence
  );
}
