import type { Batch, BatchPosition } from '../batch.ts';
import type { AuditAction } from './actions.ts';

/**
 * The author of a change. A kind says what the id is:
 *
 * - `key`: that of an API key; the name is the account's address
 * - `person`: that of a person who signed in; the name is their address
 * - `link`: the drop's id and the receiver's position in it, `ID:POSITION`
 * - `command`: the operating system's user who ran `waybilld admin`
 * - `system`: the part of the server
 */
export interface Author {
  readonly kind: 'key' | 'person' | 'link' | 'command' | 'system';
  readonly id: string;
  /** For people who read the audit. */
  readonly name: string;
  /** The network address that the request came from; absent for commands and for work of the server itself. */
  readonly address?: string | undefined;
}

/** Needed by the operations of an administrator's command besides engines. */
export interface ByCommand {
  readonly administrator: Author & { readonly kind: 'command'; readonly id: string };
}

/** A change of a drop, as its history shows it. */
export interface AuditEntry {
  readonly at: Date;
  readonly author: Author;
  /** The present name of a person who made the change; null if they have none, and for all others. */
  readonly personName: string | null;
  readonly action: string;
  readonly details: Readonly<Record<string, unknown>>;
}

type Values = Readonly<Record<string, unknown>>;

export interface NewAuditEntry {
  readonly id: string;
  readonly author: Author;
  readonly action: AuditAction;
  /** The mail addresses that the change is about. */
  readonly addresses?: readonly string[];
  readonly details: Values;
  /** The values that the change replaced, and those that it left, under the same names. */
  readonly before?: Values;
  readonly after?: Values;
}

/** A place in the order of all entries. */
export interface AuditPosition {
  readonly epoch: number;
  /** Up to 64 bits, in decimal. */
  readonly transactionId: string;
  readonly sequence: number;
}

/** An entry with everything that is known about its change. */
export interface FullAuditEntry {
  readonly position: AuditPosition;
  readonly id: string;
  readonly at: Date;
  /** Where the next page of a search begins. */
  readonly cursor: string;
  readonly accountId: string;
  /** The account's address; null if the account is gone, or is the server itself. */
  readonly account: string | null;
  readonly author: Author & { readonly address: string };
  readonly action: string;
  readonly addresses: readonly string[];
  readonly details: Values;
  readonly before: Values | null;
  readonly after: Values | null;
}

/** Entries must satisfy everything that is given. */
export interface AuditFilter {
  readonly accountId?: string | undefined;
  /** One of these authors. */
  readonly authorIds?: readonly string[] | undefined;
  /** The end of the id of the drop or request, which is its reference. */
  readonly dropIdEnd?: string | undefined;
  /** The address that the request came from. */
  readonly networkAddress?: string | undefined;
  /** An address that the change is about. */
  readonly mailAddress?: string | undefined;
  readonly actions?: readonly AuditAction[] | undefined;
  readonly since?: Date | undefined;
  /** Excluded. */
  readonly until?: Date | undefined;
}

export interface AuditPage {
  readonly order: 'newest first' | 'oldest first';
  /** The cursor of the last entry of the page before. */
  readonly after: string | undefined;
  readonly count: number;
}

export interface AuditStore {
  append(accountId: string, entry: NewAuditEntry): Promise<void>;
  /** The last changes of a drop, newest first, without what its receivers did. */
  ofDrop(accountId: string, dropId: string, count: number): Promise<AuditEntry[]>;
  search(filter: AuditFilter, page: AuditPage): Promise<FullAuditEntry[]>;
  /**
   * Up to `count` of the entries after a position, or from the oldest one, in the order of all entries. They are below
   * the oldest transaction that is still running: no entry will ever appear before one that was returned.
   */
  follow(after: AuditPosition | undefined, count: number): Promise<FullAuditEntry[]>;
  /** The position of the last entry that `follow` returns now; undefined if there is none. */
  end(): Promise<AuditPosition | undefined>;
  /** Removes up to `count` entries that are this old and not under a legal hold. */
  purge(olderThanSeconds: number, count: number, after?: BatchPosition): Promise<Batch>;
}
