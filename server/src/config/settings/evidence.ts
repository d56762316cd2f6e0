import { readFileSync } from 'node:fs';
import { type Authorities, parseAuthorities } from '@waybill/evidence';
import type { Setting, SettingType } from '../setting.ts';
import { authorizationHeader, emptyOr, integer, webAddress } from '../types.ts';
import { witnessesFile } from '../witnesses-file.ts';

/** A file of certificates in PEM. */
const certificatesFile: SettingType<Authorities | undefined> = {
  name: 'path',
  parse(path) {
    if (path === '') return undefined;
    try {
      return parseAuthorities(readFileSync(path, 'utf8'));
    } catch (error) {
      throw new Error(`names a file that cannot be used: ${(error as Error).message}.`, { cause: error });
    }
  },
};

/** The witnesses of the evidence log, and the authority that stamps it. */
export const evidenceSettings = {
  WAYBILL_WITNESSES: {
    group: 'common',
    description:
      'A file of the witnesses that cosign the evidence log, as lines of a policy: `witness NAME KEY URL` for each, and `quorum NAME`: see [evidence.md](evidence.md#witnesses-of-a-server). Empty: none.',
    default: '',
    type: witnessesFile,
  },
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
