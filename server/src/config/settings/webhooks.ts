import type { Setting } from '../setting.ts';
import { networks, oneOf } from '../types.ts';

/** The addresses that webhooks may have. */
export const webhooksSettings = {
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
