import type { Setting } from '../setting.ts';
import { integer } from '../types.ts';

/** Uploads and downloads. */
export const transfersSettings = {
  WAYBILL_UPLOAD_MEMORY_BYTES: {
    group: 'tuning',
    description:
      'The memory that a process uses for all its uploads. A fast upload uses up to 40 MiB; a slow one uses 64 KiB when memory is short.',
    default: String(128 * 1024 ** 2),
    type: integer(8 * 1024 ** 2, 64 * 1024 ** 3),
  },
  WAYBILL_DOWNLOAD_MEMORY_BYTES: {
    group: 'tuning',
    description:
      'The memory that a process uses for reading ahead in fast downloads. Every download uses 256 KiB in addition.',
    default: String(128 * 1024 ** 2),
    type: integer(0, 64 * 1024 ** 3),
  },
  WAYBILL_UPLOAD_LEASE_SECONDS: {
    group: 'tuning',
    description: 'How long after its last sign of life an upload is abandoned if its process has died.',
    default: '60',
    type: integer(1, 86_400),
  },
  WAYBILL_RESUME_SECONDS: {
    group: 'tuning',
    description: 'How long an interrupted upload of a contact, or through /api/v1, can be resumed.',
    default: '86400',
    type: integer(60, 2_592_000),
  },
} satisfies Record<string, Setting>;
