import type { Engines } from '../engines.ts';
import { ExchangeError, MissingObject } from '../exchange-error.ts';
import { describeOther } from '../keys/check-master-keys.ts';
import { type DayKeys, toContext, toDate, toDay } from '../keys/day-keys.ts';
import { isLost, LostKey, unwrapWith } from '../keys/wrapping.ts';
import type { KeyProvider, Wrapped } from '../ports/key-provider.ts';
import { SetupError } from '../setup-error.ts';
import type { BackupPlace } from './backup-place.ts';
import type { DatabaseCopies, NamedDay } from './database-copies.ts';
import { readWhole } from './streams.ts';

const mirrorName = 'day-keys.json';
const maxMirrorBytes = 16 * 1024 ** 2;
const formatVersion = 1;

/** Day keys outside of the bucket, wrapped by master keys as they are in it. */
export type DayKeyMirror = ReadonlyMap<number, Wrapped>;

interface MirrorFile {
  readonly format: number;
  readonly keys: readonly { readonly date: string; readonly version: number; readonly wrapped: string }[];
}

export interface Exported {
  readonly exported: number;
  /** The keys that were in the mirror and have been destroyed since. */
  readonly removed: number;
  /** The dates of those that the bucket should have and does not. They stay in the mirror if they are there. */
  readonly lost: readonly string[];
}

/** Makes the mirror the same as the bucket: what is destroyed here is destroyed there as well. */
export async function exportDayKeys(
  { store, dayKeys }: Pick<Engines, 'store' | 'dayKeys'>,
  place: BackupPlace,
): Promise<Exported> {
  const before = await readMirror(place).catch((error: unknown) => {
    if (!(error instanceof MissingObject)) throw error;
    return new Map<number, Wrapped>();
  });
  const now = new Map<number, Wrapped>();
  const lost: string[] = [];
  for (const { day } of await store.dayKeys.list()) {
    const key = await dayKeys.fetch(day).catch((error: unknown) => {
      if (!(error instanceof MissingObject)) throw error;
      lost.push(toDate(day));
      return before.get(day);
    });
    if (key) now.set(day, key);
  }
  const content: MirrorFile = {
    format: formatVersion,
    keys: [...now].map(([day, key]) => ({
      date: toDate(day),
      version: key.version,
      wrapped: key.wrapped.toString('base64'),
    })),
  };
  const text = Buffer.from(`${JSON.stringify(content, undefined, 2)}\n`);
  await place.write(mirrorName, toStream(text));
  return { exported: now.size, removed: [...before.keys()].filter((day) => !now.has(day)).length, lost };
}

/** Throws MissingObject when there is no mirror in this place. */
export async function readMirror(place: BackupPlace): Promise<DayKeyMirror> {
  const text = await readWhole(place, mirrorName, maxMirrorBytes);
  let file: MirrorFile;
  try {
    file = JSON.parse(text.toString()) as MirrorFile;
  } catch {
    throw new ExchangeError('damaged', `${mirrorName} is damaged. Use another copy of it.`);
  }
  if (file.format !== formatVersion) {
    throw new ExchangeError(
      'invalid_input',
      `${mirrorName} has format ${file.format}, and this program reads format ${formatVersion}. Use the version that wrote it, or a later one.`,
    );
  }
  return new Map(
    file.keys.map(({ date, version, wrapped }) => [
      toDay(Date.parse(date) / 1000),
      { version, wrapped: Buffer.from(wrapped, 'base64') },
    ]),
  );
}

/** Unwraps what was wrapped by the day keys in a mirror, which are opened at most once each. */
export function mirroredDayKeys(mirror: DayKeyMirror, masterKeys: KeyProvider): Pick<DayKeys, 'unwrap'> {
  const opened = new Map<number, Promise<Buffer>>();
  const open = async (day: number) => {
    const mirrored = mirror.get(day);
    if (!mirrored) throw new LostKey(`The day key of ${toDate(day)} is not in the mirror.`);
    return masterKeys.unwrap(mirrored.wrapped, mirrored.version, toContext(day));
  };
  return {
    async unwrap(wrapped, day, ownerId) {
      const key = opened.get(day) ?? open(day);
      opened.set(day, key);
      return unwrapWith(await key, wrapped, ownerId);
    },
  };
}

export interface Imported {
  /** The days whose keys were put back. */
  readonly imported: readonly number[];
  /** Days whose keys are in neither place: destroyed, or made after the mirror was written. */
  readonly lost: readonly NamedDay[];
}

/**
 * Puts back the day keys that the database names or files need, and that the bucket does not have. Throws if the master
 * key is another one, under which every day key would seem to be lost.
 */
export async function importDayKeys(
  {
    store,
    masterKeys,
    dayKeys,
    database,
  }: Pick<Engines, 'store' | 'masterKeys' | 'dayKeys'> & { readonly database: Pick<DatabaseCopies, 'namedDays'> },
  mirror: DayKeyMirror,
): Promise<Imported> {
  const imported: number[] = [];
  const lost: NamedDay[] = [];
  const versions = { opening: new Set<number>(), closed: new Set<number>() };
  const opens = async (day: number, key: Wrapped | undefined) => {
    if (!key) return false;
    const opened = await masterKeys.unwrap(key.wrapped, key.version, toContext(day)).catch(unlessLost);
    versions[opened ? 'opening' : 'closed'].add(key.version);
    opened?.fill(0);
    return opened !== undefined;
  };
  for (const named of await database.namedDays()) {
    const { day } = named;
    if (await opens(day, await dayKeys.fetch(day).catch(unlessLost))) continue;
    const mirrored = mirror.get(day);
    if (mirrored && (await opens(day, mirrored))) {
      await dayKeys.store(day, mirrored, await store.dayKeys.find(day));
      imported.push(day);
    } else lost.push(named);
  }
  const wrong = [...versions.closed].find((version) => !versions.opening.has(version));
  if (wrong !== undefined) throw new SetupError(describeOther(wrong));
  return { imported, lost };
}

/**
 * Lets these days get new keys. Neither `serve` nor `work` may run: one that has opened a lost key would go on to wrap with
 * it, and nobody else could read what it wrapped.
 */
export async function removeDayKeys({ store }: Pick<Engines, 'store'>, days: Iterable<number>): Promise<void> {
  for (const day of days) {
    const key = await store.dayKeys.find(day);
    if (key) await store.dayKeys.remove(key);
  }
}

function unlessLost(error: unknown): undefined {
  if (!isLost(error)) throw error;
}

async function* toStream(bytes: Buffer): AsyncGenerator<Buffer, void, void> {
  yield bytes;
}
