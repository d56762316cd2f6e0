import type { Engines } from '../engines.ts';
import type { KeyProvider } from '../ports/key-provider.ts';
import { toContext, toDate } from './day-keys.ts';
import { isLost } from './wrapping.ts';

/** Keys that were being changed are replaced in the next pass; more passes than this mean that old keys keep coming. */
const maxPasses = 10;

/**
 * Wraps by the current master key the day keys that another one wraps. It can be interrupted at any point and begun
 * again: keys that are done are skipped. Everything stays readable throughout, as long as all processes have both master
 * keys. A key that is lost is passed over and named. Returns how many keys were wrapped again.
 */
export async function rotateMasterKey(
  { store, masterKeys, dayKeys }: Pick<Engines, 'store' | 'masterKeys' | 'dayKeys'>,
  onProgress: (replaced: number) => void = () => undefined,
  onLost: (key: string) => void = () => undefined,
): Promise<number> {
  let replaced = 0;
  const lost = new Set<string>();
  const passOver = (key: string) => (error: unknown) => {
    if (!isLost(error)) throw error;
    if (!lost.has(key)) onLost(key);
    lost.add(key);
    return undefined;
  };
  for (let pass = 1; pass <= maxPasses; pass += 1) {
    const current = await currentVersion(masterKeys);
    const outdated = (await store.dayKeys.list()).filter(({ version }) => version !== current);
    let found = 0;
    for (const dayKey of outdated) {
      const name = `day key of ${toDate(dayKey.day)}`;
      if (lost.has(name)) continue;
      found += 1;
      const before = await dayKeys.fetch(dayKey.day).catch(passOver(name));
      if (!before) continue;
      const context = toContext(dayKey.day);
      const key = await masterKeys.unwrap(before.wrapped, before.version, context).catch(passOver(name));
      if (!key) continue;
      const wrapped = await masterKeys.wrap(key, context);
      key.fill(0);
      if (!(await dayKeys.store(dayKey.day, wrapped, dayKey))) continue;
      replaced += 1;
      onProgress(replaced);
    }
    if (found === 0) break;
  }
  return replaced;
}

export async function currentVersion(masterKeys: KeyProvider): Promise<number | undefined> {
  const [current] = await masterKeys.list();
  return current?.version;
}
