import { wrapSigningKeysAgain } from '../domain/evidence/rotate-signing-keys.ts';
import { currentVersion, rotateMasterKey } from '../domain/keys/rotate-master-key.ts';
import type { AdminContext } from './command.ts';
import { Progress } from './progress.ts';

/** Wraps stored keys by the current keys, and shows how far it is. Returns how many. */
export async function wrapAgain(engines: AdminContext['engines']): Promise<number> {
  const progress = new Progress();
  const onLost = (remedy: string) => (key: string) => {
    progress.clear();
    process.stderr.write(`Lost, and passed over: ${key}. ${remedy}\n`);
  };
  const dayKeys = await rotateMasterKey(
    engines,
    (count) => progress.show(() => `${count} keys wrapped again`),
    onLost('Put day keys back: waybilld admin day-keys import --from PLACE'),
  );
  const signingKeys = await wrapSigningKeysAgain(
    engines,
    await currentVersion(engines.masterKeys),
    onLost(
      'Add new keys for the log, then retire this one: waybilld admin log rotate-key, waybilld admin log retire-key ID',
    ),
  );
  progress.clear();
  return dayKeys + signingKeys;
}
