import { recordMaintenance } from '../domain/audit/record.ts';
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
  const version = await currentVersion(engines.masterKeys);
  const logKeys = await wrapSigningKeysAgain(
    engines,
    version,
    onLost(
      'Add new keys for the log, then retire this one: waybilld admin log rotate-key, waybilld admin log retire-key ID',
    ),
  );
  progress.clear();
  if (dayKeys + logKeys > 0) {
    await recordMaintenance(engines, engines.administrator, 'master_key.rotated', { version, dayKeys, logKeys });
  }
  return dayKeys + logKeys;
}
