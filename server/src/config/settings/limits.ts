import type { Setting } from '../setting.ts';
import { integer, list, oneOf } from '../types.ts';

/** How long drops and requests last, the quotas of accounts, and the number of messages. */
export const limitsSettings = {
  WAYBILL_LIFETIME_UNIT: {
    group: 'common',
    description: 'The unit of the lifetimes in the machine API, `desttime` and `ttl`, and of the two settings below.',
    default: 'days',
    type: oneOf('seconds', 'minutes', 'hours', 'days'),
  },
  WAYBILL_LIFETIME_MAX: {
    group: 'common',
    description: 'The longest lifetime that a drop or a request for files can have.',
    default: '30',
    type: integer(1, 1_000_000),
  },
  WAYBILL_LIFETIME_DEFAULT: {
    group: 'common',
    description: 'The lifetime of a drop or a request for files that is created without one.',
    default: '7',
    type: integer(1, 1_000_000),
  },
  WAYBILL_MAX_FILE_BYTES: {
    group: 'common',
    description: 'The maximum size of a file.',
    default: String(2 * 1024 ** 4),
    type: integer(1, 64 * 1024 ** 4),
  },
  WAYBILL_ACCOUNT_MAX_BYTES: {
    group: 'common',
    description:
      'The total size of the files that an account may store, including what contacts send to it, unless the account or its group has its own limit. 0: no limit.',
    default: '0',
    type: integer(0, 1024 ** 5),
  },
  WAYBILL_DROPS_PER_DAY: {
    group: 'common',
    description:
      'The number of drops and requests that an account may create from midnight to midnight (UTC), unless the account or its group has its own limit. 0: no limit.',
    default: '0',
    type: integer(0, 1_000_000_000),
  },
  WAYBILL_MAILS_PER_DAY: {
    group: 'common',
    description:
      'The number of receivers that an account may write to from midnight to midnight (UTC), unless the account or its group has its own limit. 0: no limit.',
    default: '0',
    type: integer(0, 1_000_000_000),
  },
  WAYBILL_RECEIVER_DOMAINS: {
    group: 'common',
    description:
      'The domains of the addresses that accounts may send to, separated by commas, unless the account or its group has its own list. Empty: all.',
    default: '',
    type: list,
  },
  WAYBILL_REQUEST_MAX_BYTES: {
    group: 'tuning',
    description: 'The maximum total size of the files that a contact may send for one request for files.',
    default: String(1024 ** 4),
    type: integer(1, 1024 ** 5),
  },
  WAYBILL_PUBLIC_PAGES: {
    group: 'common',
    description:
      'Whether the owners of accounts may open a [public page](accounts.md#the-public-page-of-an-account), on which anyone can send files to the account.',
    default: 'allowed',
    type: oneOf('allowed', 'off'),
  },
  WAYBILL_PUBLIC_PAGE_MAX_BYTES: {
    group: 'tuning',
    description: 'The maximum total size of the files that a visitor of a public page may send with one link.',
    default: String(1024 ** 3),
    type: integer(1, 1024 ** 5),
  },
  WAYBILL_PUBLIC_PAGE_MAILS_PER_ADDRESS: {
    group: 'tuning',
    description: 'The number of mails with a link that public pages send to one address in a day, all pages together.',
    default: '5',
    type: integer(1, 10_000),
  },
  WAYBILL_PUBLIC_PAGE_MAILS_PER_NETWORK: {
    group: 'tuning',
    description:
      'The number of these mails that visitors from one IPv4 address, or from one IPv6 network of 64 bits, can ask for in a day.',
    default: '30',
    type: integer(1, 1_000_000),
  },
  WAYBILL_PUBLIC_PAGE_MAILS_PER_DAY: {
    group: 'tuning',
    description: 'The number of these mails that all visitors of one public page together can ask for in a day.',
    default: '200',
    type: integer(1, 1_000_000),
  },
  WAYBILL_MESSAGES_PER_ACCOUNT: {
    group: 'tuning',
    description: 'The number of receivers that an account may write to in an hour before it gets 429.',
    default: '10000',
    type: integer(1, 100_000_000),
  },
  WAYBILL_MESSAGES_PER_RECEIVER: {
    group: 'tuning',
    description:
      'The number of drops and requests that an account may send to one address in an hour before it gets 429.',
    default: '1000',
    type: integer(1, 100_000_000),
  },
  WAYBILL_RECEIVER_MESSAGES_PER_HOUR: {
    group: 'tuning',
    description:
      'The number of mails sent to one address in an hour by all accounts together, not counting codes. Further mails are not lost; they wait in the outbox.',
    default: '2000',
    type: integer(1, 100_000_000),
  },
  WAYBILL_CODES_PER_RECEIVER: {
    group: 'tuning',
    description:
      'The number of codes sent to one phone number or address in an hour, for all links together. After that, the page says that there were too many.',
    default: '20',
    type: integer(1, 1_000_000),
  },
} satisfies Record<string, Setting>;
