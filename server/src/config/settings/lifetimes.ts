import type { Setting } from '../setting.ts';
import { integer, oneOf } from '../types.ts';

/** How long drops and requests for files last. */
export const lifetimesSettings = {
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
} satisfies Record<string, Setting>;
