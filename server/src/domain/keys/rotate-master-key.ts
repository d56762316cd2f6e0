import type { Engines } from '../engines.ts';
import type { FilePosition } from '../file-position.ts';
import type { KeyProvider } from '../ports/key-provider.ts';
import { toContext, toDate } from './day-keys.ts';
import { isLost } from './lost-key.ts';
import type { KeyOwner, OwnedKey, ReplacedKey } from './wrapped-key-store.ts';

const owners: readonly KeyOwner[] = ['files', 'uploads', 'drops'];
const keysPerStatement = 500;
const first: FilePosition = {
  accountId: '00000000-0000-0000-0000-000000000000',
  id: '00000000-0000-0000-0000-000000000000',
};
/** Keys that were being changed are replaced in the next pass; more passes than this mean that old keys keep coming. */
const maxPasses = 10;

type Needs = Pick<Engines, 'store' | 'keys' | 'dayKeys'>;
type PassOver = (key: string) => (error: unknown) => undefined;

/**
 * Wraps by the current master key what another one wraps: day keys, and other stored keys, which are wrapped by a day
 * key once day keys are used. It can be interrupted at any point and begun again: what is done is skipped.
 * Everything stays readable throughout, as long as all processes have both master keys. A key that is lost is
 * passed over and named. Returns how many keys were wrapped again.
 */
export async function rotateMasterKey(
  engines: Needs,
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
    const days = await rotateDayKeys(engines, passOver);
    let found = days;
    replaced += days;
    const isByDay = (await engines.dayKeys.today()) !== undefined;
    const version = isByDay ? undefined : await currentVersion(engines.keys);
    for (const owner of owners) {
      for (let position: FilePosition | undefined = first; position; ) {
        const page = await engines.store.wrappedKeys.outdated(owner, position, keysPerStatement, { version });
        const outdated = page.outdated.filter(({ id }) => !lost.has(id));
        found += outdated.length;
        replaced += await replace(engines, owner, outdated, passOver);
        onProgress(replaced);
        position = page.next;
      }
    }
    if (found === 0) break;
  }
  return replaced;
}

async function replace(
  engines: Needs,
  owner: KeyOwner,
  outdated: readonly OwnedKey[],
  passOver: PassOver,
): Promise<number> {
  if (outdated.length === 0) return 0;
  const { store, keys, dayKeys } = engines;
  const rewrapped: ReplacedKey[] = [];
  for (const { accountId, id, wrapped: before, version, secondsLeft } of outdated) {
    const dataKey = await keys.unwrap(before, version, id).catch(passOver(id));
    if (!dataKey) continue;
    rewrapped.push({ accountId, id, before, ...(await dayKeys.wrap(dataKey, id, secondsLeft)) });
    dataKey.fill(0);
  }
  return store.wrappedKeys.replace(owner, rewrapped);
}

async function rotateDayKeys({ store, keys, dayKeys }: Needs, passOver: PassOver): Promise<number> {
  const current = await currentVersion(keys);
  let replaced = 0;
  for (const dayKey of await store.dayKeys.list()) {
    if (dayKey.version === current) continue;
    const name = `day key of ${toDate(dayKey.day)}`;
    const before = await dayKeys.fetch(dayKey.day).catch(passOver(name));
    if (!before) continue;
    const context = toContext(dayKey.day);
    const key = await keys.unwrap(before.wrapped, before.version, context).catch(passOver(name));
    if (!key) continue;
    const wrapped = await keys.wrap(key, context);
    key.fill(0);
    if (await dayKeys.store(dayKey.day, wrapped, dayKey)) replaced += 1;
  }
  return replaced;
}

export async function currentVersion(keys: KeyProvider): Promise<number | undefined> {
  const [current] = await keys.masterKeys();
  return current?.version;
}
