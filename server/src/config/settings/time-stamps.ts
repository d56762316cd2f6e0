import { certificatesFile } from '../certificates-file.ts';
import type { Setting } from '../setting.ts';
import { authorizationHeader, emptyOr, integer, webAddress } from '../types.ts';

/** The authority that stamps the evidence log. */
export const timeStampSettings = {
  WAYBILL_TIMESTAMP_URL: {
    group: 'common',
    description:
      'The address of a time-stamping authority (RFC 3161) that stamps the checkpoints of the evidence log: see [evidence-log.md](evidence-log.md#time-stamps). Empty: none.',
    default: '',
    type: emptyOr(webAddress),
  },
  WAYBILL_TIMESTAMP_CA_FILE: {
    group: 'common',
    description:
      'The certificates (PEM) that the time stamps must lead to: that of the authority, or of those that issued it. Empty: the signatures of time stamps are not verified when they arrive.',
    default: '',
    type: certificatesFile,
  },
  WAYBILL_TIMESTAMP_AUTHORIZATION: {
    group: 'common',
    description:
      'The value of the header Authorization in requests for time stamps, such as `Basic CREDENTIALS`. Needs an https:// address. Empty: no such header.',
    default: '',
    secret: true,
    type: authorizationHeader,
  },
  WAYBILL_TIMESTAMP_SECONDS: {
    group: 'tuning',
    description: 'A new checkpoint is stamped at most this often.',
    default: '600',
    type: integer(60, 3_600),
  },
} satisfies Record<string, Setting>;
