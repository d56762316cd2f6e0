import type { Engines, OwnedKey } from '../ports/index.ts';
import { isLost } from './lost-key.ts';

const keysPerStatement = 500;
const maxBatches = 1000;
/** Longer than any request takes from choosing a day to its commit. */
const graceSeconds = 60 * 60;

type Needs = Pick<Engines, 'store' | 'keys' | 'dayKeys' | 'report'>;

/**
 * Destroys the keys of days that are over. What lives on, because it was not sent yet or the drop was extended, is first
 * wrapped by the key of a later day. What is under a legal hold keeps the key of its day.
 */
export async function sweepDayKeys(engines: Needs, signal?: AbortSignal): Promise<number> {
  await renew(engines, signal);
  return engines.dayKeys.destroy(graceSeconds);
}

async function renew({ store, keys, dayKeys, report }: Needs, signal?: AbortSignal): Promise<void> {
  const today = await dayKeys.today();
  if (today === undefined) return;
  for (const owner of ['files', 'uploads', 'drops'] as const) {
    for (let batch = 0; batch < maxBatches; batch += 1) {
      signal?.throwIfAborted();
      const overdue = await store.wrappedKeys.overdue(owner, today, keysPerStatement);
      const renewed = [];
      for (const key of overdue) {
        const dataKey = await keys.unwrap(key.wrapped, key.version, key.id).catch((error: unknown) => {
          // Whether a key is lost is not known while the object store or the key service is away.
          if (!isLost(error)) throw error;
          return noteLost(report, key);
        });
        if (!dataKey) continue;
        const { accountId, id, wrapped: before, secondsLeft } = key;
        renewed.push({ accountId, id, before, ...(await dayKeys.wrap(dataKey, id, secondsLeft)) });
        dataKey.fill(0);
      }
      if (renewed.length === 0 || (await store.wrappedKeys.replace(owner, renewed)) === 0) break;
    }
  }
}

function noteLost(report: Engines['report'], { id, version }: OwnedKey): undefined {
  report('a stored key cannot be unwrapped', { owner: id, keyVersion: version });
}
