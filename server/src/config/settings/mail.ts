import type { Setting } from '../setting.ts';
import { address, bounceAddress, filePath, mailAddress, oneOf, smsSender, smsUrl } from '../types.ts';

/** Mails, and those that are returned; SMS, and codes as a second factor. */
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
  WAYBILL_SMS_URL: {
    group: 'common',
    description:
      'The SMS gateway, with Kannel’s sendsms interface: http://USER:PASSWORD@HOST:PORT/cgi-bin/sendsms. Empty: no SMS.',
    default: '',
    secret: true,
    type: smsUrl,
  },
  WAYBILL_SMS_FROM: {
    group: 'common',
    description: 'The sender of SMS: up to 11 letters (A to Z) and digits, or a number of up to 15 digits.',
    default: 'Waybill',
    type: smsSender,
  },
  WAYBILL_SECOND_FACTOR: {
    group: 'common',
    description:
      'What a receiver needs in addition to the link, unless the account has its own setting: a code by sms, a code by mail, or nothing (off). Without a phone number or an SMS gateway, the code is sent by mail.',
    default: 'off',
    type: oneOf('off', 'sms', 'mail'),
  },
  WAYBILL_SHARED_LINKS: {
    group: 'common',
    description:
      'The links that people and programs may share: none (never), one for all receivers of a delivery, who each enter a code sent to their address (named), or also one for anybody who has it (anybody). The strictest rule of the server, the group and the account applies, also to links made before.',
    default: 'anybody',
    type: oneOf('never', 'named', 'anybody'),
  },
} satisfies Record<string, Setting>;
