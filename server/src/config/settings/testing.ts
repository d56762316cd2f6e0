import type { Setting } from '../setting.ts';
import { text } from '../types.ts';

/** Settings of tests. */
export const testingSettings = {
  WAYBILL_FAILPOINT: {
    group: 'testing',
    description: 'For crash tests only: the process kills itself at this checkpoint.',
    default: '',
    type: text,
  },
} satisfies Record<string, Setting>;
