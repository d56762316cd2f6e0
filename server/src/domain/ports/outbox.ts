import type { DropType } from '@waybill/protocol';
import type { ListedFile } from './letters.ts';

export type MessageKind = 'invitation' | 'code' | 'reminder' | 'receipt' | 'received';

export type Channel = 'mail' | 'sms';

export interface WaitingMessage {
  readonly id: string;
  readonly kind: MessageKind;
  readonly channel: Channel;
  readonly to: string;
  readonly language: string;
  /** How often it has been tried, this time included. */
  readonly attempts: number;
  /** Since it was enqueued. */
  readonly ageSeconds: number;
  /** The drop has neither ended nor passed its deadline. */
  readonly dropLive: boolean;
  readonly dropId: string;
  readonly dropType: DropType | 'receivedfiles';
  readonly message: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** The account behind the drop. */
  readonly account: string;
  /** The receiver or contact it is about. */
  readonly person: { readonly position: number; readonly email: string; readonly completedAt: Date | null };
  /** Where the message carries something derived from it. */
  readonly linkKey: Buffer | null;
  readonly keyVersion: number;
  readonly fileCount: number;
  readonly totalBytes: number;
  /** The first few. */
  readonly files: ListedFile[];
}

/** A message that waits or was given up, for administrators. */
export interface OutboxLine {
  readonly id: string;
  readonly account: string;
  readonly kind: MessageKind;
  readonly channel: Channel;
  readonly recipient: string;
  readonly attempts: number;
  /** What the last attempt came to. */
  readonly outcome: string | null;
  /** When it is tried next, or was given up; as text, to the microsecond. */
  readonly at: string;
}

export interface OutboxStore {
  /** Writes one waiting invitation a link of the drop, each with the job that sends it. */
  invite(accountId: string, dropId: string, messages: readonly { id: string; position: number }[]): Promise<void>;
  enqueue(
    accountId: string,
    message: {
      id: string;
      kind: MessageKind;
      channel: Channel;
      dropId: string;
      position: number | null;
      recipient: string;
    },
  ): Promise<void>;
  /** Enqueues the reminders of up to `count` drops that are due for theirs. Returns how many drops. */
  remind(count: number): Promise<number>;
  /** The message, if it is due; nobody else gets it within the lease. Counts the attempt. */
  take(accountId: string, id: string, leaseSeconds: number): Promise<WaitingMessage | undefined>;
  /** Renews the lease of this attempt. */
  hold(accountId: string, attempt: Attempt, leaseSeconds: number): Promise<void>;
  settle(accountId: string, id: string, state: 'sent' | 'given_up', outcome: string): Promise<void>;
  /** Notes that this attempt failed and has the next one made after a pause. */
  retry(accountId: string, attempt: Attempt, outcome: string, pauseSeconds: number): Promise<void>;
  /** Has the message sent after a pause, as if this attempt had not been made. */
  postpone(accountId: string, attempt: Attempt, outcome: string, pauseSeconds: number): Promise<void>;
  /** Codes for a number or an address within so many seconds. The count is exact until the transaction ends. */
  codesTo(recipient: string, withinSeconds: number): Promise<number>;
  /** Has up to `count` messages sent that are due and whose job was lost with its process. Returns how many. */
  wakeOverdue(overdueSeconds: number, count: number): Promise<number>;
  /** Of all accounts, in the order of `at`, after `after`. */
  page(
    state: 'waiting' | 'given_up',
    after: Pick<OutboxLine, 'at' | 'id'> | undefined,
    count: number,
  ): Promise<OutboxLine[]>;
  /** Has a message of the account that was given up sent again. False when there is none. */
  revive(accountId: string, id: string): Promise<boolean>;
  /**
   * Has up to `count` messages sent again that were given up, of all accounts, oldest first. Returns how many of each
   * account, and the time the search ended at if none was given: messages given up later are not for this run.
   */
  reviveAll(
    given: GivenUpFilter & { readonly until: string | undefined },
    count: number,
  ): Promise<{ readonly revived: readonly { accountId: string; count: number }[]; readonly until: string }>;
}

/** Which of the messages that were given up. */
export interface GivenUpFilter {
  readonly since: Date | undefined;
  /** A part of what the last attempt came to, in any case. */
  readonly reason: string | undefined;
}

type Attempt = Pick<WaitingMessage, 'id' | 'attempts'>;
