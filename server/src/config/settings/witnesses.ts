import type { Setting } from '../setting.ts';
import { witnessesFile } from '../witnesses-file.ts';

/** Witnesses of the evidence log. */
export const witnessesSettings = {
  WAYBILL_WITNESSES: {
    group: 'common',
    description:
      'A file of the witnesses that cosign the evidence log, as lines of a policy: `witness NAME KEY URL` for each, and `quorum NAME`: see [evidence.md](evidence.md#witnesses-of-a-server). Empty: none.',
    default: '',
    type: witnessesFile,
  },
} satisfies Record<string, Setting>;
