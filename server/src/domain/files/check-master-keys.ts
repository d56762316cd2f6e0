import type { Engines } from '../ports/index.ts';
import { SetupError } from '../setup-error.ts';

/** Throws when a stored key cannot be opened: otherwise the first to notice would be whoever downloads its file. */
export async function checkMasterKeys({ store, keys }: Pick<Engines, 'store' | 'keys'>): Promise<void> {
  for (const { wrapped, version, context } of await store.sampleWrappedKeys()) {
    try {
      await keys.unwrap(wrapped, version, context);
    } catch (cause) {
      throw new SetupError(
        `The master key of version ${version} does not open what is stored. Put the key of that version, from the backup or another machine, into WAYBILL_MASTER_KEY_FILE.`,
        { cause },
      );
    }
  }
}
