import type { MailLogo } from './mails/mail-logo.ts';

/** The operator of this server, as people see it on pages and in mails. */
export interface Operator {
  readonly name: string;
  /** As #rrggbb. */
  readonly color?: string | undefined;
  /** The logo as mails show it. */
  readonly mailLogo?: MailLogo | undefined;
  readonly supportAddress?: string | undefined;
  readonly imprintUrl?: string | undefined;
  readonly privacyUrl?: string | undefined;
}
