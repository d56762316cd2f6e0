import { ExchangeError } from '../exchange-error.ts';
import { contextOf } from '../keys/day-keys.ts';
import type { Engines, KeyProvider, Store } from '../ports/index.ts';
import { SetupError } from '../setup-error.ts';
import { MissingObject } from './missing-object.ts';

/**
 * Throws when a stored key cannot be unwrapped. Otherwise a failed download would be the first sign of it. With a signal,
 * day keys that cannot be fetched until then are left out: whether the object store can be reached is another question.
 */
export async function checkKeys(
  { store, keys, dayKeys }: Pick<Engines, 'store' | 'keys' | 'dayKeys'>,
  signal?: AbortSignal,
): Promise<void> {
  await checkMasterKeys({ store, keys });
  const all = await store.dayKeys.list();
  // The first and the last, so that both keys of a rotation are probably among them.
  for (const { day } of new Set([...all.slice(0, 1), ...all.slice(-1)])) {
    const key = await dayKeys.fetch(day, signal).catch((error: unknown) => {
      // One that is lost says nothing about the master keys.
      if (!signal && !(error instanceof MissingObject)) throw error;
      return undefined;
    });
    if (key) await requireOpen(key.version, keys.unwrap(key.wrapped, key.version, contextOf(day)));
  }
}

/** The same for those that are wrapped by a master key itself. */
export async function checkMasterKeys({
  store,
  keys,
}: {
  readonly store: Pick<Store, 'sampleWrappedKeys'>;
  readonly keys: KeyProvider;
}): Promise<void> {
  for (const { wrapped, version, context } of await store.sampleWrappedKeys()) {
    if (version > 0) await requireOpen(version, keys.unwrap(wrapped, version, context));
  }
}

async function requireOpen(version: number, key: Promise<Buffer>): Promise<void> {
  try {
    await key;
  } catch (cause) {
    if (cause instanceof ExchangeError) throw cause;
    throw new SetupError(
      `The master key of version ${version} does not open what is stored. Put the key of that version, from the backup or another machine, in place.`,
      { cause },
    );
  }
}
