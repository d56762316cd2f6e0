import type { Engines } from '../engines.ts';
import { ExchangeError, MissingObject } from '../exchange-error.ts';
import { SetupError } from '../setup-error.ts';
import { toContext } from './day-keys.ts';
import { isLost } from './wrapping.ts';

const hourMs = 60 * 60_000;

/**
 * Checks the keys once an hour, however often it is called: the master keys may be in a service that is asked rarely and
 * records every use. A check that fails, or that could not fetch a day key within a second, is made again by the next
 * call.
 */
export function checkKeysHourly(
  engines: Pick<Engines, 'store' | 'masterKeys' | 'dayKeys'>,
  now: () => number = () => performance.now(),
): () => Promise<void> {
  let checkedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (now() - checkedAt < hourMs) return;
    const beganAt = now();
    if (await checkKeys(engines, AbortSignal.timeout(1_000))) checkedAt = beganAt;
  };
}

/**
 * Throws if a day key cannot be unwrapped. Otherwise a failed download would be the first sign of it. With a signal,
 * day keys that cannot be fetched until then are left out: whether the object store can be reached is another question.
 * Returns whether none was left out.
 */
export async function checkKeys(
  { store, masterKeys, dayKeys }: Pick<Engines, 'store' | 'masterKeys' | 'dayKeys'>,
  signal?: AbortSignal,
): Promise<boolean> {
  let isComplete = true;
  const all = await store.dayKeys.list();
  // The first and the last, so that both keys of a rotation are probably among them.
  for (const { day } of new Set([...all.slice(0, 1), ...all.slice(-1)])) {
    const key = await dayKeys.fetch(day, signal).catch((error: unknown) => {
      // One that is lost says nothing about the master keys.
      if (error instanceof MissingObject) return undefined;
      if (!signal) throw error;
      isComplete = false;
      return undefined;
    });
    if (key) await requireOpen(key.version, masterKeys.unwrap(key.wrapped, key.version, toContext(day)));
  }
  return isComplete;
}

async function requireOpen(version: number, key: Promise<Buffer>): Promise<void> {
  try {
    await key;
  } catch (cause) {
    // Such as a token that cannot be read.
    if (cause instanceof ExchangeError && cause.cause instanceof SetupError) throw cause.cause;
    if (!isLost(cause)) throw cause;
    throw new SetupError(describeOther(version), { cause });
  }
}

/** When a master key is another one than that which wrapped the day keys. */
export const describeOther = (version: number) =>
  `The master key of version ${version} does not open what is stored. Put the key of that version, from the backup or another machine, in place.`;
