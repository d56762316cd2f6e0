import type { Engines } from '../engines.ts';
import { toDate } from './day-keys.ts';
import type { OwnedKey } from './key-store.ts';
import { isLost } from './wrapping.ts';

const keysPerStatement = 500;
const maxBatches = 1000;
/** The largest number of days that a sweep reports. */
const maxReported = 10_000;
/** Longer than any request takes from choosing a day to its commit. */
const graceSeconds = 60 * 60;

type Needs = Pick<Engines, 'store' | 'dayKeys' | 'logger'>;

/**
 * Destroys the keys of days that are over. What lives on, because it was not sent yet or the drop was extended, is first
 * wrapped by the key of a later day. What is under a legal hold keeps the key of its day.
 */
export async function sweepDayKeys(engines: Needs, signal?: AbortSignal): Promise<number> {
  await renew(engines, signal);
  return engines.dayKeys.destroy(graceSeconds);
}

async function renew({ store, dayKeys, logger }: Needs, signal?: AbortSignal): Promise<void> {
  const today = await dayKeys.today();
  const lost = new LostKeys(dayKeys, logger);
  for (const owner of ['files', 'uploads', 'drops'] as const) {
    for (let batch = 0; batch < maxBatches; batch += 1) {
      signal?.throwIfAborted();
      const lostDays = lost.days.size;
      const overdue = await store.wrappedKeys.overdue(owner, today, keysPerStatement, [...lost.days]);
      const renewed = [];
      for (const key of overdue) {
        if (lost.days.has(key.day)) continue;
        const dataKey = await dayKeys.unwrap(key.wrapped, key.day, key.id).catch((error: unknown) => {
          // Whether a key is lost is not known while the object store or the key service is away.
          if (!isLost(error)) throw error;
          return lost.record(key);
        });
        if (!dataKey) continue;
        const { accountId, id, wrapped: before, secondsLeft } = key;
        renewed.push({ accountId, id, before, ...(await dayKeys.wrap(dataKey, id, secondsLeft)) });
        dataKey.fill(0);
      }
      const replaced = renewed.length > 0 ? await store.wrappedKeys.replace(owner, renewed) : 0;
      // Keys that a lost key has wrapped are left out of the next batch, so that they do not hide the rest.
      if (replaced === 0 && lost.days.size === lostDays) break;
    }
  }
  lost.end();
}

/** Reports a lost key when it is found, and not again in every sweep. */
class LostKeys {
  readonly #dayKeys: Needs['dayKeys'];
  readonly #logger: Needs['logger'];
  readonly #found = new Set<string>();
  /** The days whose keys are lost. */
  readonly days = new Set<number>();

  constructor(dayKeys: Needs['dayKeys'], logger: Needs['logger']) {
    this.#dayKeys = dayKeys;
    this.#logger = logger;
  }

  async record({ id, day }: OwnedKey): Promise<undefined> {
    const isDayLost = await this.#dayKeys.open(day).then(
      () => false,
      (error: unknown) => {
        if (!isLost(error)) throw error;
        return true;
      },
    );
    if (isDayLost) this.days.add(day);
    const [name, what, details] = isDayLost
      ? ([toDate(day), 'a day key is lost', { day: toDate(day) }] as const)
      : ([id, 'a stored key cannot be unwrapped', { owner: id, day: toDate(day) }] as const);
    this.#found.add(name);
    const { reportedLost } = this.#dayKeys;
    if (reportedLost.has(name)) return;
    this.#logger.warn(what, details);
    if (reportedLost.size < maxReported) reportedLost.add(name);
  }

  /** A key that comes back and is lost again is reported again. */
  end(): void {
    for (const name of this.#dayKeys.reportedLost) if (!this.#found.has(name)) this.#dayKeys.reportedLost.delete(name);
  }
}
