import type { ReadAhead } from '../files/read-ahead.ts';
import type { Letters, Mailer, SmsGateway } from './letters.ts';
import type { CsrfTokens, FailureLimit, MessageLimit, RecipientPace } from './limits.ts';
import type { KeyProvider, ObjectStore } from './objects.ts';
import type { Scanner } from './scanner.ts';
import type { Store } from './store.ts';

/**
 * All that the domain needs from outside. An operation's first argument picks what it uses:
 * `createDrop(engines: Pick<Engines, 'store' | 'keys'>, …)`.
 */
export interface Engines {
  readonly store: Store;
  readonly objects: ObjectStore;
  readonly keys: KeyProvider;
  /** The memory for reading ahead of fast readers. */
  readonly readAhead: ReadAhead;
  readonly csrfTokens: CsrfTokens;
  readonly failureLimit: FailureLimit;
  readonly scanner: Scanner;
  readonly mailer: Mailer;
  /** Undefined where the operator has none. */
  readonly sms: SmsGateway | undefined;
  readonly letters: Letters;
  readonly messageLimit: MessageLimit;
  readonly recipientPace: RecipientPace;
  readonly report: Report;
  readonly random: Random;
  readonly checkpoint: Checkpoint;
  readonly policy: Policy;
}

/** Who asks. The surface authenticates and builds it; the domain authorises by it. */
export interface Actor {
  readonly accountId: string;
  readonly email: string;
}

/** What the operator decided. */
export interface Policy {
  readonly publicUrl: string;
  readonly mailFrom: string;
  readonly scan: 'required' | 'best-effort' | 'off';
  readonly desttime: { readonly unitSeconds: number; readonly max: number; readonly default: number };
  readonly uploadLeaseSeconds: number;
  readonly maxFileBytes: number;
  /** How long an interrupted upload of a contact can be resumed. */
  readonly resumeSeconds: number;
  /** All files that a contact may send through one link, together. */
  readonly grantMaxBytes: number;
  /** Where the account has no choice of its own. */
  readonly secondFactor: SecondFactor;
  /** Codes that one number or address is sent in an hour, whichever links they are for. */
  readonly maxCodesPerRecipient: number;
  /** How long what has ended is kept; undefined: for ever. */
  readonly keepSeconds: { readonly history: number | undefined; readonly audit: number | undefined };
}

/** How a person shows, besides having the link, that the link was meant for them. */
export type SecondFactor = 'off' | 'sms' | 'mail';

export interface Random {
  bytes(length: number): Buffer;
  uuid(): string;
}

/** A named point between two steps. Does nothing, unless a crash test asked the process to die there. */
export type Checkpoint = (name: string) => void;

/**
 * Tells the operator, in the log, what went wrong although no request failed. Never given a secret, a code, a token, the
 * text of a message or a person's address.
 */
export type Report = (what: string, details: Readonly<Record<string, string | number>>) => void;
