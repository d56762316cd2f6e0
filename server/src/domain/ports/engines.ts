import type { ReadAhead } from '../files/read-ahead.ts';
import type { DayKeys } from '../keys/day-keys.ts';
import type { ReturnPaths } from '../outbox/return-paths.ts';
import type { StopLinks } from '../stops/stop-links.ts';
import type { WebhookSecrets } from '../webhooks/webhook-secrets.ts';
import type { KeyRights } from './accounts.ts';
import type { ReadReport } from './bounces.ts';
import type { Letters, Mailer, SmsGateway } from './letters.ts';
import type { CsrfTokens, FailureLimit, MessageLimit, RecipientPace } from './limits.ts';
import type { KeyProvider, ObjectStore } from './objects.ts';
import type { Scanner } from './scanner.ts';
import type { Store } from './store.ts';
import type { WebhookSender } from './webhooks.ts';

/**
 * Everything the domain needs from outside. An operation's first argument picks what it uses: `createDrop(engines:
 * Pick<Engines, 'store' | 'keys'>, …)`.
 */
export interface Engines {
  readonly store: Store;
  readonly objects: ObjectStore;
  /** The master keys; also unwraps what a day key has wrapped. */
  readonly keys: KeyProvider;
  readonly dayKeys: DayKeys;
  /** The memory for reading ahead of fast readers. */
  readonly readAhead: ReadAhead;
  readonly csrfTokens: CsrfTokens;
  readonly failureLimit: FailureLimit;
  readonly scanner: Scanner;
  readonly mailer: Mailer;
  /** Undefined if the operator does not want undeliverable mails returned. */
  readonly returnPaths: ReturnPaths | undefined;
  readonly readReport: ReadReport;
  readonly stopLinks: StopLinks;
  /** Undefined if the operator has none. */
  readonly sms: SmsGateway | undefined;
  readonly letters: Letters;
  readonly webhookSender: WebhookSender;
  readonly webhookSecrets: WebhookSecrets;
  readonly messageLimit: MessageLimit;
  readonly recipientPace: RecipientPace;
  readonly report: Report;
  readonly note: Note;
  readonly random: Random;
  readonly checkpoint: Checkpoint;
  readonly policy: Policy;
}

/** Who makes the request. The surface authenticates and builds it; the domain uses it to authorise. */
export interface Actor {
  readonly accountId: string;
  readonly email: string;
  /** The key with which it authenticated. */
  readonly key: KeyRights & { readonly id: string };
}

/** The lifetimes that a dispatch may have. */
export interface Desttimes {
  readonly unitSeconds: number;
  readonly min: number;
  readonly max: number;
  /** Null: all from `min` to `max`. */
  readonly only: readonly number[] | null;
  readonly default: number;
}

/** What the operator has decided, for the server or, by `policyOf`, for one account. */
export interface Policy {
  readonly publicUrl: string;
  readonly mailFrom: string;
  /** Who runs this server, as people know them. */
  readonly operatorName: string;
  /** Where people turn to with questions and reports, if anywhere. */
  readonly supportAddress: string | undefined;
  readonly scan: 'required' | 'best-effort' | 'off';
  readonly desttime: Desttimes;
  readonly uploadLeaseSeconds: number;
  readonly maxFileBytes: number;
  /** All files of an account together; null: any amount. */
  readonly maxStoredBytes: number | null;
  /** Dispatches of an account, and mails to their receivers, from midnight to midnight in UTC; null: any number. */
  readonly dropsPerDay: number | null;
  readonly mailsPerDay: number | null;
  /** The domains of addresses that may be sent to; null: all. */
  readonly recipientDomains: readonly string[] | null;
  /** How long an interrupted upload can be resumed. */
  readonly resumeSeconds: number;
  /** The total size of all files that a contact may send through one link. */
  readonly grantMaxBytes: number;
  /** How many times an entry of an inbox can be claimed before it is parked. */
  readonly inboxAttempts: number;
  /** Applies where the account has not made a choice. */
  readonly secondFactor: SecondFactor;
  /** How many codes one number or address is sent per hour, whichever links they are for. */
  readonly maxCodesPerRecipient: number;
  /** How long each kind of record is kept; undefined: forever, or as long as its drop. */
  readonly keepSeconds: {
    /** Drafts that are not used. */
    readonly drafts: number;
    /** Ended drops. */
    readonly history: number | undefined;
    /** What receivers did with ended drops. */
    readonly deliveries: number | undefined;
    /** Also released holds. */
    readonly audit: number | undefined;
    readonly events: number;
    /** Settled messages. */
    readonly messages: number | undefined;
    /** What was sent to webhooks, and the log of the attempts. */
    readonly webhooks: number;
  };
}

/** How a person proves, besides having the link, that the link was meant for them. */
export type SecondFactor = 'off' | 'sms' | 'mail';

/** From which follows what the receivers of a drop have to pass. */
export interface SecondFactorChoices {
  /** The sender's choice for this drop; null: the rule applies. */
  readonly secondFactor: SecondFactor | null;
  /** The rule of the account or its group, as it is now; null: the server's setting applies. */
  readonly secondFactorRule: SecondFactor | null;
}

export interface Random {
  bytes(length: number): Buffer;
  uuid(): string;
}

/** A named point between two steps. Does nothing unless a crash test told the process to die there. */
export type Checkpoint = (name: string) => void;

/**
 * Reports to the operator, in the log, what went wrong although no request failed. Never receives a secret, a code, a
 * token, the text of a message or a person's address.
 */
export type Report = (what: string, details: Readonly<Record<string, string | number>>) => void;

/** Notes in the log what happened as it should. What must not be in a report must not be in a note. */
export type Note = Report;
