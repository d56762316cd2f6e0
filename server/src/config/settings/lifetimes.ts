import type { Setting } from '../setting.ts';
import { integer, oneOf } from '../types.ts';

/** How long drops and requests for files last. */
export const lifetimesSettings = {
  WAYBILL_DESTTIME_UNIT: {
    group: 'common',
    description: 'The unit of desttime and ttl.',
    default: 'days',
    type: oneOf('seconds', 'minutes', 'hours', 'days'),
  },
  WAYBILL_DESTTIME_MAX: {
    group: 'common',
    description: 'The maximum desttime.',
    default: '30',
    type: integer(1, 1_000_000),
  },
  WAYBILL_DESTTIME_DEFAULT: {
    group: 'common',
    description: 'The desttime of a request that does not contain one.',
    default: '7',
    type: integer(1, 1_000_000),
  },
} satisfies Record<string, Setting>;
