import type { Setting } from '../setting.ts';
import { integer } from '../types.ts';

/** The jobs of `work`. */
export const workSettings = {
  WAYBILL_WORKER_CONCURRENCY: {
    group: 'tuning',
    description: 'The number of jobs that a `work` process runs at once.',
    default: '8',
    type: integer(1, 1000),
  },
  WAYBILL_CHECKS_AT_ONCE: {
    group: 'tuning',
    description:
      'The number of contacts’ uploads that a `work` process reads back and scans at once, in addition to its other jobs.',
    default: '8',
    type: integer(1, 1000),
  },
  WAYBILL_WEBHOOKS_AT_ONCE: {
    group: 'tuning',
    description:
      'The number of webhooks that a `work` process sends events to at once, in addition to its other jobs, with up to 4 requests to each.',
    default: '8',
    type: integer(1, 1000),
  },
} satisfies Record<string, Setting>;
