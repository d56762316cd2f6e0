import type { Setting } from '../setting.ts';
import { integer } from '../types.ts';

/** How long records are kept. */
export const retentionSettings = {
  WAYBILL_HISTORY_DAYS: {
    group: 'common',
    description:
      'How long ended drops stay in the history, with their receivers, file names and deliveries. 0: forever.',
    default: '365',
    type: integer(0, 36_500),
  },
  WAYBILL_AUDIT_DAYS: {
    group: 'common',
    description: 'How long audit log entries and released holds are kept. 0: forever.',
    default: '1095',
    type: integer(0, 36_500),
  },
  WAYBILL_EVIDENCE_DAYS: {
    group: 'common',
    description:
      'How long evidence is kept, with the addresses of senders and receivers and the names of files: until then, receipts can be made. 0: forever.',
    default: '3650',
    type: integer(0, 36_500),
  },
  WAYBILL_ACTIVITY_DAYS: {
    group: 'common',
    description:
      'How long after the end of a drop it is recorded what each receiver did: when the link was opened and a code entered, and which files were sent. 0: as long as the drop.',
    default: '0',
    type: integer(0, 36_500),
  },
  WAYBILL_MESSAGE_DAYS: {
    group: 'common',
    description:
      'How long records of mails and SMS that were sent or abandoned are kept, with their receivers. 0: as long as their drop.',
    default: '0',
    type: integer(0, 36_500),
  },
  WAYBILL_EVENT_DAYS: {
    group: 'tuning',
    description:
      'How long events are kept for programs that follow them, with the addresses of receivers and the names of files.',
    default: '30',
    type: integer(1, 365),
  },
  WAYBILL_WEBHOOK_DAYS: {
    group: 'tuning',
    description:
      'How long the log of requests to webhooks is kept, and what was sent, which can be sent again for as long.',
    default: '30',
    type: integer(7, 36_500),
  },
  WAYBILL_DRAFT_DAYS: {
    group: 'tuning',
    description: 'How long an unused draft, or an unused upload of /api/v1, is kept, with its files.',
    default: '7',
    type: integer(1, 365),
  },
} satisfies Record<string, Setting>;
