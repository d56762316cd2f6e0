import { rotateMasterKey } from '../domain/keys/rotate-master-key.ts';
import type { AdminContext } from './command.ts';
import { Progress } from './progress.ts';

/** Wraps stored keys by the current keys, and shows how far it is. Returns how many. */
export async function wrapAgain(engines: AdminContext['engines']): Promise<number> {
  const progress = new Progress();
  const replaced = await rotateMasterKey(
    engines,
    (count) => progress.show(() => `${count} keys wrapped again`),
    (key) => {
      progress.clear();
      process.stderr.write(
        `Lost, and passed over: ${key}. Put day keys back: waybilld admin day-keys import --from PLACE\n`,
      );
    },
  );
  progress.clear();
  return replaced;
}
