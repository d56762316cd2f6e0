import type { Setting } from '../setting.ts';
import { oneOf, smsSender, smsUrl } from '../types.ts';

/** SMS, and codes as a second factor. */
export const smsSettings = {
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
} satisfies Record<string, Setting>;
