import type { DropType } from '@waybill/protocol';
import type { Batch, BatchPosition } from '../batch.ts';
import type { MailedFile } from '../files/file-store.ts';
import type { WantedFile } from '../files/wanted-files.ts';
import type { DayWrapped } from '../keys/key-store.ts';
import type { Question } from '../links/ask-sender.ts';
import type { ReceiversLink } from '../links/link-store.ts';
import type { Channel } from '../policy.ts';
import type { NewsMessageKind } from './news.ts';

export type MessageKind =
  | 'invitation'
  | 'code'
  | 'reminder'
  | 'receipt'
  | 'received'
  | 'undeliverable'
  | 'confirmation'
  | 'report'
  | Question;

/** A member who is told news of an account. */
export interface ToldPerson {
  readonly language: string;
  /** An IANA name; empty: that of the server. */
  readonly timeZone: string;
  /** The address of the account. */
  readonly account: string;
  /** The name that people know the account by, or its address if it has none. */
  readonly accountName: string;
  /** Whether the account has another address than the person. */
  readonly isShared: boolean;
}

export interface WaitingMessage {
  readonly id: string;
  readonly kind: MessageKind;
  readonly channel: Channel;
  readonly to: string;
  readonly language: string;
  /** The member whom it tells; undefined if it is for anyone else. */
  readonly told: ToldPerson | undefined;
  /** Whether it was for a member who is none any more, or who wants no such news. */
  readonly isUnwanted: boolean;
  /** How much more news of its kind it stands for. */
  readonly more: number;
  /** How often it has been tried, including this time. */
  readonly attempts: number;
  /** Since it was enqueued. */
  readonly ageSeconds: number;
  /** The drop has neither ended nor passed its deadline. */
  readonly dropLive: boolean;
  readonly dropId: string;
  /** The request through which a contact sent the files. */
  readonly requestId: string | null;
  readonly dropType: DropType | 'receivedfiles';
  readonly message: string;
  /** Of the drop; null: none. */
  readonly title: string | null;
  /** Whether a contact may send files any number of times. */
  readonly reusable: boolean;
  /** The files that a request wants. */
  readonly wanted: readonly WantedFile[];
  /** Whether nobody in the account asked for the files. */
  readonly isUnsolicited: boolean;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** The address of the account behind the drop. */
  readonly account: string;
  /** The name that people know the account by, or its address if it has none. */
  readonly accountName: string;
  /** Whether the account is a test account: then the message is kept instead of sent. */
  readonly isTest: boolean;
  /** Whether people work with the account in the browser. */
  readonly hasMembers: boolean;
  /** The entry in the account's inbox that a contact's files are. */
  readonly inboxId: string | null;
  /** The receiver or contact it is about. */
  readonly person: {
    readonly position: number;
    readonly email: string;
    readonly openedAt: Date | null;
    readonly completedAt: Date | null;
    /** Whether the link was disabled, alone or with all others of the drop. */
    readonly isRevoked: boolean;
    /** Why mails do not reach them. */
    readonly undeliverable: string | null;
    /** Whether the receiver wants no more mail from the account. */
    readonly stopped: boolean;
    /** The addresses of the account's people who saw the link, and could have acted as this person. */
    readonly shownTo: readonly string[];
  };
  /** Present if the message carries something derived from it. */
  readonly linkKey: DayWrapped | null;
  readonly fileCount: number;
  readonly totalBytes: number;
  /** How many of all files were not scanned. */
  readonly unscannedCount: number;
  readonly files: MailedFile[];
}

/** Of one account, about one drop, or to one address or phone number. */
export interface OutboxFilter {
  readonly accountId?: string | undefined;
  readonly dropId?: string | undefined;
  readonly receiver?: string | undefined;
}

/** A message that is waiting or was abandoned, for administrators. */
export interface OutboxLine {
  readonly id: string;
  readonly account: string;
  readonly kind: MessageKind;
  readonly channel: Channel;
  readonly receiver: string;
  readonly attempts: number;
  /** The result of the last attempt. */
  readonly outcome: string | null;
  /** When it will be tried next, or was abandoned; as text, with microseconds. */
  readonly at: string;
}

/** A message whose sending has ended. */
export type SettledMessage = Pick<WaitingMessage, 'kind' | 'channel' | 'to' | 'dropId'> & {
  /** Null if the message is about a drop as a whole. */
  readonly position: number | null;
};

export interface OutboxStore {
  /** Writes one waiting mail for each of these links of the drop, with the job that sends it. */
  writeToReceivers(
    accountId: string,
    dropId: string,
    kind: 'invitation' | 'reminder',
    messages: readonly { id: string; position: number }[],
  ): Promise<void>;
  enqueue(
    accountId: string,
    message: {
      id: string;
      kind: MessageKind;
      channel: Channel;
      dropId: string;
      position: number | null;
      receiver: string;
    },
  ): Promise<void>;
  /**
   * Writes the mails that tell the people of an account about its drop: to the members who want such news, and to the
   * account's address unless a member has it.
   */
  tell(
    accountId: string,
    news: { readonly kind: NewsMessageKind; readonly dropId: string; readonly position: number | null },
  ): Promise<void>;
  /** As `tell`, for the members of other accounts in whose inboxes the drop arrived. */
  tellReceivers(accountId: string, dropId: string, receiverAccountIds: readonly string[]): Promise<void>;
  /** Enqueues the reminders of up to `count` drops whose reminders are due. Returns how many drops. */
  remind(count: number): Promise<number>;
  /** Returns the message if it is due; no other worker gets it during the lease. Counts the attempt. */
  acquire(accountId: string, id: string, leaseSeconds: number): Promise<WaitingMessage | undefined>;
  /** Renews the lease of this attempt. */
  renewLease(accountId: string, attempt: Attempt, leaseSeconds: number): Promise<void>;
  /** Undefined when the message was not waiting. */
  settle(
    accountId: string,
    id: string,
    state: 'sent' | 'abandoned',
    outcome: string,
  ): Promise<(SettledMessage & { readonly notified: ReceiversLink | null }) | undefined>;
  /** The account of a message, by its id alone. */
  findAccountId(id: string): Promise<string | undefined>;
  /** Abandons a message that was sent or is being sent. Undefined when it is neither. */
  abandon(accountId: string, id: string, outcome: string): Promise<SettledMessage | undefined>;
  /** Records that a report says that a mail was delivered. Undefined when that is known, or the mail was not sent. */
  recordAccepted(accountId: string, id: string): Promise<SettledMessage | undefined>;
  /** Records that this attempt failed, and schedules the next one after a pause. */
  retry(accountId: string, attempt: Attempt, outcome: string, pauseSeconds: number): Promise<void>;
  /** Schedules the message after a pause, as if this attempt had not been made. */
  postpone(accountId: string, attempt: Attempt, outcome: string, pauseSeconds: number): Promise<void>;
  /**
   * How many codes a number or an address was sent within this many seconds, by test accounts if this is one, and by live
   * accounts otherwise. The count is exact until the transaction ends.
   */
  countCodes(
    receiver: string,
    accountId: string,
    withinSeconds: number,
  ): Promise<{ readonly all: number; readonly own: number }>;
  /** Reschedules up to `count` messages that are due and whose job was lost with its process. Returns how many. */
  wakeOverdue(overdueSeconds: number, count: number): Promise<number>;
  /** Removes up to `count` messages that were settled this long ago and are not under a legal hold. */
  purge(olderThanSeconds: number, count: number, after?: BatchPosition): Promise<Batch>;
  /** Messages of all accounts, ordered by `at`, after `after`. */
  page(
    state: 'waiting' | 'abandoned',
    after: Pick<OutboxLine, 'at' | 'id'> | undefined,
    count: number,
    filter?: OutboxFilter,
  ): Promise<OutboxLine[]>;
  /**
   * Resends a message of the account that was abandoned, whether or not its receiver was reachable. False if there is
   * none.
   */
  revive(accountId: string, id: string): Promise<boolean>;
  /** Resends the mails to receivers of a drop that were abandoned for this reason. */
  reviveOfDrop(accountId: string, dropId: string, outcome: string): Promise<void>;
  /**
   * Resends up to `count` messages of all accounts that were abandoned, oldest first. Returns how many for each account,
   * and the time at which the search ended if none was given: messages abandoned later are not part of this run.
   */
  reviveAll(
    given: AbandonedFilter & { readonly until: string | undefined },
    count: number,
  ): Promise<{ readonly revived: readonly { accountId: string; count: number }[]; readonly until: string }>;
  /**
   * Makes up to `count` messages of all accounts due now that wait for a later attempt, latest first, and counts their
   * attempts from 0. Leaves alone what is being sent. Returns how many for each account, and where to continue;
   * undefined at the end.
   */
  hastenAll(
    filter: { readonly reason: string | undefined; readonly before: Pick<OutboxLine, 'at' | 'id'> | undefined },
    count: number,
  ): Promise<{
    readonly hastened: readonly { accountId: string; count: number }[];
    readonly next: Pick<OutboxLine, 'at' | 'id'> | undefined;
  }>;
  /** Makes a message of the account due now that waits for a later attempt. False if there is none, or it is being sent. */
  hasten(accountId: string, id: string): Promise<boolean>;
}

/** Selects messages that were abandoned. */
export interface AbandonedFilter {
  readonly since: Date | undefined;
  /** Part of the result of the last attempt; case is ignored. */
  readonly reason: string | undefined;
}

type Attempt = Pick<WaitingMessage, 'id' | 'attempts'>;
