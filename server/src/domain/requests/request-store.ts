import type { WantedFile } from '../files/wanted-files.ts';

/** How far a request for files has come, and by whom it is known in a list. */
export interface RequestSummary {
  readonly dropId: string;
  readonly firstReceiver: { readonly name: string | null; readonly email: string };
  /** How many contacts have sent files, and how many files. */
  readonly fulfilled: number;
  readonly filesReceived: number;
}

/** Files that a contact sent, as an entry of the account's inbox. */
export interface Arrival {
  readonly entryId: string;
  readonly sender: { readonly name: string | null; readonly email: string };
  readonly receivedAt: Date;
  readonly fileCount: number;
  readonly totalBytes: number;
  /** Whether no member has opened it yet. */
  readonly isUnread: boolean;
}

/** The files that a request wants, and what a contact has sent of them. */
export interface WantedState {
  readonly wanted: readonly WantedFile[];
  /** The places in the list of those that have come, with any sending of the contact. */
  readonly found: readonly number[];
}

/** The results of the requests for files of an account. */
export interface RequestStore {
  /** In any order. */
  summaries(accountId: string, requestIds: readonly string[]): Promise<RequestSummary[]>;
  /** How many requests are open, up to `max`. */
  countOpen(accountId: string, max: number): Promise<number>;
  /** The last ones, newest first. */
  arrivals(accountId: string, requestId: string, count: number): Promise<Arrival[]>;
  /** Of the contact with a link. */
  wantedThrough(accountId: string, requestId: string, position: number): Promise<WantedState | undefined>;
  /** Of the contact who sent the files of a drop; undefined if nobody was asked for them. */
  wantedOf(accountId: string, dropId: string): Promise<WantedState | undefined>;
}
