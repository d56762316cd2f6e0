import { providersFile } from '../providers-file.ts';
import type { Setting } from '../setting.ts';

/** Providers through which people sign in. */
export const providersSettings = {
  WAYBILL_PROVIDERS_FILE: {
    group: 'common',
    description:
      'A JSON file of the providers (OpenID Connect) through which people sign in, which not everyone can read: see [sign-in.md](sign-in.md#the-file). Empty: none.',
    default: '',
    type: providersFile,
  },
} satisfies Record<string, Setting>;
