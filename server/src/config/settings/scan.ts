import type { Setting } from '../setting.ts';
import { integer, oneOf, text } from '../types.ts';

/** The virus scan. */
export const scanSettings = {
  WAYBILL_CLAMD: {
    group: 'common',
    description: 'clamd: HOST:PORT or the path of its socket.',
    default: '127.0.0.1:3310',
    type: text,
  },
  WAYBILL_SCAN: {
    group: 'common',
    description:
      'The virus scan. required: a file that cannot be scanned is refused. best-effort: it is accepted and marked unscanned. off: nothing is scanned.',
    default: 'required',
    type: oneOf('required', 'best-effort', 'off'),
  },
  WAYBILL_SCAN_ENCRYPTED: {
    group: 'common',
    description:
      'Encrypted files, which cannot be scanned, with WAYBILL_SCAN=required. refuse: they are refused, except from accounts and groups that may send them. accept: they are accepted and marked unscanned.',
    default: 'refuse',
    type: oneOf('refuse', 'accept'),
  },
  WAYBILL_SCAN_MAX_BYTES: {
    group: 'common',
    description:
      'The maximum size of a file to scan: clamd’s StreamMaxLength, which is 100 MiB by default. With WAYBILL_SCAN=required, a larger file is refused.',
    default: String(100 * 1024 ** 2),
    type: integer(1, 4 * 1024 ** 3),
  },
  WAYBILL_SCAN_SECONDS: {
    group: 'tuning',
    description:
      'How long clamd may take to report on a file after its last byte. Must be longer than clamd’s MaxScanTime, which is 120 seconds by default.',
    default: '600',
    type: integer(1, 86_400),
  },
  WAYBILL_SCAN_STREAMS: {
    group: 'tuning',
    description:
      'The maximum number of files that a process streams to clamd at once. The total for all processes must stay below clamd’s MaxQueue, which is 100 by default.',
    default: '20',
    type: integer(1, 1000),
  },
} satisfies Record<string, Setting>;
