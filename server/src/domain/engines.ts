import type { DownloadLimits } from './flow/download-limits.ts';
import type { DayKeys } from './keys/day-keys.ts';
import type { MailTemplates } from './outbox/mail-templates.ts';
import type { ReturnPaths } from './outbox/return-paths.ts';
import type { Policy } from './policy.ts';
import type { KeyProvider } from './ports/key-provider.ts';
import type { AttemptLimit, CsrfTokens, FailureLimit, MessageLimit, ReceiverPace } from './ports/limits.ts';
import type { LogObjects } from './ports/log-objects.ts';
import type { Logger } from './ports/logger.ts';
import type { Mailer, ReadReport, SmsGateway } from './ports/mailer.ts';
import type { ObjectStore } from './ports/object-store.ts';
import type { Passkeys } from './ports/passkeys.ts';
import type { Random } from './ports/random.ts';
import type { ReceiptPrinter } from './ports/receipt-printer.ts';
import type { Scanner } from './ports/scanner.ts';
import type { TimeStampAuthority } from './ports/time-stamp-authority.ts';
import type { WebhookSender } from './ports/webhook-sender.ts';
import type { Witnesses } from './ports/witnesses.ts';
import type { Passwords } from './sign-in/password.ts';
import type { SignedLinks } from './signed-ids.ts';
import type { Store } from './store.ts';
import type { WebhookSecrets } from './webhooks/webhook-secrets.ts';

/**
 * Everything the domain needs from outside. An operation's first argument picks what it uses: `prepareDrop(engines:
 * Pick<Engines, 'store' | 'dayKeys'>, …)`.
 */
export interface Engines {
  readonly store: Store;
  readonly objects: ObjectStore;
  readonly logObjects: LogObjects;
  readonly witnesses: Witnesses;
  /** Undefined if the operator has none. */
  readonly timeStampAuthority: TimeStampAuthority | undefined;
  readonly masterKeys: KeyProvider;
  readonly dayKeys: DayKeys;
  readonly downloads: DownloadLimits;
  readonly csrfTokens: CsrfTokens;
  readonly failureLimit: FailureLimit;
  readonly attemptLimit: AttemptLimit;
  readonly scanner: Scanner;
  readonly mailer: Mailer;
  /** Undefined if the operator does not want undeliverable mails returned. */
  readonly returnPaths: ReturnPaths | undefined;
  readonly readReport: ReadReport;
  readonly stopLinks: SignedLinks;
  readonly personLinks: SignedLinks;
  /** Undefined if the operator has none. */
  readonly sms: SmsGateway | undefined;
  readonly mailTemplates: MailTemplates;
  readonly receiptPrinter: ReceiptPrinter;
  readonly webhookSender: WebhookSender;
  readonly webhookSecrets: WebhookSecrets;
  readonly messageLimit: MessageLimit;
  readonly receiverPace: ReceiverPace;
  readonly passwords: Passwords;
  /** The passphrases of deliveries and requests. */
  readonly passphrases: Passwords;
  readonly passkeys: Passkeys;
  readonly logger: Logger;
  readonly random: Random;
  readonly checkpoint: Checkpoint;
  readonly policy: Policy;
}

/** A named point between two steps. Does nothing unless a crash test told the process to die there. */
export type Checkpoint = (name: string) => void;
