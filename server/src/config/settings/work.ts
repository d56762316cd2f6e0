import type { Setting } from '../setting.ts';
import { integer, networks, oneOf } from '../types.ts';

/** The jobs of `work`, and the addresses that webhooks may have. */
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
  WAYBILL_WEBHOOK_ALLOW: {
    group: 'common',
    description:
      'Addresses or networks (CIDR) that webhooks may be sent to although they are not on the Internet, such as 10.1.0.0/16, separated by commas. Every account can send requests there. Empty: none.',
    default: '',
    type: networks,
  },
  WAYBILL_WEBHOOK_HTTP: {
    group: 'common',
    description:
      'Whether webhooks may have http:// URLs. Events then go over the network in plain text: `allowed` or `refused`.',
    default: 'refused',
    type: oneOf('allowed', 'refused'),
  },
} satisfies Record<string, Setting>;
