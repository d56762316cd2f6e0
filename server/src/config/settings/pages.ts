import { providersFile } from '../providers-file.ts';
import type { Setting } from '../setting.ts';
import {
  filePath,
  hexColor,
  logoFile,
  mailAddress,
  operatorName,
  optional,
  text,
  timeZone,
  webAddress,
} from '../types.ts';

/** The look, the language and the texts of pages and mails, and the providers through which people sign in. */
export const pagesSettings = {
  WAYBILL_OPERATOR_NAME: {
    group: 'common',
    description:
      'The name by which people know the operator of this server, such as “Acme Files”. Shown on every page and in every mail; receivers can report a sender to it.',
    default: 'Waybill',
    type: operatorName,
  },
  WAYBILL_OPERATOR_LOGO: {
    group: 'common',
    description:
      'A file with the operator’s logo (SVG or PNG, up to 100 kB), shown at the top of every page, and of every mail if it is a PNG: mail programs show no SVG. Empty: Waybill’s mark, and none in mails.',
    default: '',
    type: optional(logoFile),
  },
  WAYBILL_OPERATOR_COLOR: {
    group: 'common',
    description:
      'The colour of buttons and links, as #RRGGBB. If it would be hard to read, a darker or lighter shade of it is used. Empty: Waybill’s green.',
    default: '',
    type: optional(hexColor),
  },
  WAYBILL_SUPPORT_ADDRESS: {
    group: 'common',
    description:
      'The mail address that people can write to if something does not work. Shown on every page and in every mail.',
    default: '',
    type: optional(mailAddress),
  },
  WAYBILL_IMPRINT_URL: {
    group: 'common',
    description: 'The web page that says who is responsible for this server, linked from every page.',
    default: '',
    type: optional(webAddress),
  },
  WAYBILL_PRIVACY_URL: {
    group: 'common',
    description: 'The web page with the privacy policy, linked from every page.',
    default: '',
    type: optional(webAddress),
  },
  WAYBILL_TIME_ZONE: {
    group: 'common',
    description:
      'The time zone of times in mails, and on pages without JavaScript, such as Europe/Stockholm. With JavaScript, pages use the reader’s own time zone.',
    default: 'UTC',
    type: timeZone,
  },
  WAYBILL_LANGUAGE: {
    group: 'common',
    description: 'The language of mails and pages if the receiver’s language is unknown or there are no texts in it.',
    default: 'en',
    type: text,
  },
  WAYBILL_TEXTS_DIR: {
    group: 'common',
    description:
      'A folder with your own texts: sv.json there replaces individual Swedish texts, nb.json adds Norwegian.',
    default: '',
    type: filePath,
  },
  WAYBILL_PROVIDERS_FILE: {
    group: 'common',
    description:
      'A JSON file of the providers (OpenID Connect) through which people sign in, which not everyone can read: see [sign-in.md](sign-in.md#the-file). Empty: none.',
    default: '',
    type: providersFile,
  },
} satisfies Record<string, Setting>;
