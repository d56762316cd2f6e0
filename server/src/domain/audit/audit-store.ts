/**
 * Who made a change. A kind says what the id is:
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

/** A change that was recorded. */
export interface AuditEntry {
  readonly at: Date;
  readonly author: Author;
  /** The present name of a person who made the change; null if they have none, and for all others. */
  readonly personName: string | null;
  readonly action: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface AuditStore {
  append(
    accountId: string,
    entry: { id: string; author: Author; action: string; details: Record<string, unknown> },
  ): Promise<void>;
  /** The last changes of a drop, newest first. */
  ofDrop(accountId: string, dropId: string, count: number): Promise<AuditEntry[]>;
  /** Removes up to `count` entries that are this old and not under a legal hold. Returns how many. */
  purge(olderThanSeconds: number, count: number): Promise<number>;
}
