import type { Setting } from '../setting.ts';
import { address, bounceAddress, filePath, mailAddress } from '../types.ts';

/** Mails, and those that are returned. */
export const mailSettings = {
  WAYBILL_SMTP_URL: {
    group: 'required',
    description:
      'The mail server: smtp://USER:PASSWORD@HOST:PORT, or smtps:// for TLS from the first byte. With ?ignoreTLS=true at the end, TLS is not used, for a mail server on this machine.',
    secret: true,
    type: address('smtp', 'smtps'),
  },
  WAYBILL_MAIL_FROM: {
    group: 'required',
    description: 'The address that mails are sent from: NAME@DOMAIN.',
    type: mailAddress,
  },
  WAYBILL_BOUNCE_ADDRESS: {
    group: 'common',
    description:
      'The address to which undeliverable mails are returned: NAME@DOMAIN, with up to 11 characters before the @. Each mail uses its own form of it, NAME+TOKEN@DOMAIN. Empty: they are returned to WAYBILL_MAIL_FROM, and the sender is not told (docs/mail.md).',
    default: '',
    type: bounceAddress,
  },
  WAYBILL_BOUNCE_MAILDIR: {
    group: 'common',
    description:
      'A Maildir to which the mail server delivers mails to WAYBILL_BOUNCE_ADDRESS. `work` reads and removes them. Empty: the mail server runs `waybilld admin mail bounce`.',
    default: '',
    type: filePath,
  },
} satisfies Record<string, Setting>;
