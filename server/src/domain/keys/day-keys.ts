import { serverAccountId } from '../audit/record.ts';
import { ExchangeError, MissingObject } from '../exchange-error.ts';
import type { KeyProvider, Wrapped } from '../ports/key-provider.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import type { Random } from '../ports/random.ts';
import type { Store } from '../store.ts';
import type { DayKey, DayWrapped, OwnedKey, ReplacedKey } from './key-store.ts';
import { LostKey, unwrapWith, wrapWith } from './wrapping.ts';

const daySeconds = 24 * 60 * 60;
/** The key of a file that is not sent yet is wrapped until tomorrow. If the file still exists then, the sweep wraps it again. */
const unsentSeconds = daySeconds;
/** A deadline is set by the database, a little later than it is known here. */
const marginSeconds = 10 * 60;
const clockMs = 60_000;
const maxOpened = 1_000;
/** A key that was destroyed does not stay in memory for longer. */
const openedMs = 60 * 60_000;
const keyBytes = 32;
const objectsPerRequest = 1_000;
const always = new AbortController().signal;

export interface DayKeyEngines {
  readonly store: Pick<Store, 'dayKeys' | 'undeletedObjects' | 'transaction'>;
  readonly objects: ObjectStore;
  readonly masterKeys: KeyProvider;
  readonly random: Random;
}

export const toDay = (seconds: number) => Math.floor(seconds / daySeconds);
/** 20774 is 2026-11-17. */
export const toDate = (day: number) => new Date(day * daySeconds * 1000).toISOString().slice(0, 10);
const toObjectKey = (objectId: string) => `day-keys/${objectId}`;
export const toContext = (day: number) => `day key ${day}`;

/**
 * Wraps the keys of files, and of the links of drops, by the key of the day on which they end. When the day is over and
 * nothing is wrapped by its key any more, the key is destroyed, and what it has wrapped is unreadable wherever a copy of
 * it may be.
 */
export class DayKeys {
  readonly #engines: DayKeyEngines;
  readonly #opened = new Map<number, { readonly key: Promise<Buffer>; readonly atMs: number }>();
  /** Days, and owners of damaged keys, that sweeps of this process have already reported as lost. */
  readonly reportedLost = new Set<string>();
  #clock: { readonly seconds: number; readonly atMs: number } | undefined;

  constructor(engines: DayKeyEngines) {
    this.#engines = engines;
  }

  /** The current day, by the database's clock. */
  async today(): Promise<number> {
    return toDay(await this.#now());
  }

  /** Wraps the key of a file or a drop that ends in this time, or of a file that is not sent yet. */
  async wrap(dataKey: Buffer, ownerId: string, secondsLeft: number | null): Promise<DayWrapped> {
    const day = await this.#dayIn(secondsLeft ?? unsentSeconds);
    return { wrapped: wrapWith(await this.#keyFor(day), dataKey, ownerId, this.#engines.random), day };
  }

  async unwrap(wrapped: Buffer, day: number, ownerId: string): Promise<Buffer> {
    return unwrapWith(await this.open(day), wrapped, ownerId);
  }

  /**
   * Fetches what is needed to wrap these keys again for a file that ends in this time. What is returned does it at once,
   * so it can be called in a transaction. It leaves out keys that are wrapped by other keys than those given here.
   */
  async prepare(
    before: readonly Pick<OwnedKey, 'day'>[],
    secondsLeft: number,
  ): Promise<(keys: readonly OwnedKey[]) => ReplacedKey[]> {
    const rewrap = await this.#prepare(before, secondsLeft);
    return (keys) =>
      keys.flatMap((key) => {
        const { accountId, id, wrapped: old } = key;
        const replaced = key.day === rewrap.day ? undefined : rewrap.wrap(key, id, id);
        return replaced ? [{ accountId, id, before: old, ...replaced }] : [];
      });
  }

  /**
   * Fetches what is needed to wrap these keys also for other owners, which end in this time. What is returned does it at once,
   * and returns nothing for a key that is wrapped by another key than those given here.
   */
  async prepareCopies(
    before: readonly Pick<DayWrapped, 'day'>[],
    secondsLeft: number,
  ): Promise<(key: DayWrapped, ownerId: string, otherId: string) => DayWrapped | undefined> {
    return (await this.#prepare(before, secondsLeft)).wrap;
  }

  async #prepare(before: readonly Pick<DayWrapped, 'day'>[], secondsLeft: number) {
    const day = await this.#dayIn(secondsLeft);
    const days = new Set(before.map((key) => key.day));
    const target = days.size === 0 ? undefined : await this.#keyFor(day);
    const sources = new Map<number, Buffer>();
    for (const source of days) sources.set(source, await this.open(source));
    const wrap = (key: DayWrapped, ownerId: string, newOwnerId: string): DayWrapped | undefined => {
      const source = sources.get(key.day);
      if (!source || !target) return undefined;
      const dataKey = unwrapWith(source, key.wrapped, ownerId);
      const wrapped = wrapWith(target, dataKey, newOwnerId, this.#engines.random);
      dataKey.fill(0);
      return { wrapped, day };
    };
    return { day, wrap };
  }

  /** Throws when the key of this day is destroyed, lost or does not open. */
  open(day: number): Promise<Buffer> {
    return this.#remember(day, async () => {
      const key = await this.#read(day);
      if (!key) throw new LostKey(`The day key of ${toDate(day)} is destroyed.`);
      return key;
    });
  }

  /** The key of this day as it is stored; undefined if it is destroyed. Throws MissingObject if it is lost. */
  async fetch(day: number, signal: AbortSignal = always): Promise<Wrapped | undefined> {
    const { store, objects } = this.#engines;
    let missing: DayKey | undefined;
    for (;;) {
      const found = await store.dayKeys.find(day);
      if (!found) return undefined;
      try {
        const all = { offset: 0, length: found.objectBytes };
        return { wrapped: await objects.read(toObjectKey(found.objectId), all, signal), version: found.version };
      } catch (error) {
        // Another process may have wrapped it again and deleted this object since.
        if (!(error instanceof MissingObject) || found.objectId === missing?.objectId) throw error;
        missing = found;
      }
    }
  }

  /** Stores a key for this day, unless there is one, or in place of the one there is. Returns false if there is one. */
  async store(day: number, key: Wrapped, insteadOf: DayKey | undefined): Promise<boolean> {
    const { store, objects, random } = this.#engines;
    const objectId = random.uuid();
    // An object is never written twice, so that a write that arrives late changes nothing.
    await store.dayKeys.announce(objectId);
    await objects.put(toObjectKey(objectId), [key.wrapped], always);
    const stored = { day, objectId, objectBytes: key.wrapped.length, version: key.version };
    return store.dayKeys.choose(stored, insteadOf);
  }

  /** Destroys the keys of days that ended this long ago, if they wrap nothing that is stored. Returns how many. */
  async destroy(endedSeconds: number): Promise<number> {
    const { store, objects } = this.#engines;
    const destroyed = await store.dayKeys.drop(endedSeconds);
    for (;;) {
      const ids = await store.dayKeys.leftovers(objectsPerRequest);
      if (ids.length === 0) return destroyed;
      const undeleted = await objects.delete(ids.map(toObjectKey));
      if (undeleted.length > 0) await store.undeletedObjects.record(undeleted);
      const deleted = ids.filter((id) => !undeleted.includes(toObjectKey(id)));
      await store.transaction(async (tx) => {
        const days = (await tx.dayKeys.purge(deleted))
          .flatMap(({ day }) => day ?? [])
          .toSorted((one, other) => one - other);
        await tx.evidence.append(
          days.map((day) => ({ accountId: serverAccountId, kind: 'key.destroyed', data: { day: toDate(day) } })),
        );
      });
      // The next sweep deletes the others, and only then a key counts as destroyed.
      if (undeleted.length > 0) return destroyed;
    }
  }

  /** By the database's clock, which decides when a day is over. */
  async #now(): Promise<number> {
    const nowMs = performance.now();
    if (!this.#clock || nowMs - this.#clock.atMs > clockMs) {
      this.#clock = { seconds: await this.#engines.store.dayKeys.clock(), atMs: nowMs };
    }
    return this.#clock.seconds + (nowMs - this.#clock.atMs) / 1000;
  }

  async #dayIn(seconds: number): Promise<number> {
    return toDay((await this.#now()) + Math.max(0, seconds) + marginSeconds);
  }

  #keyFor(day: number): Promise<Buffer> {
    return this.#remember(day, async () => (await this.#read(day)) ?? (await this.#create(day)));
  }

  async #read(day: number): Promise<Buffer | undefined> {
    const found = await this.fetch(day);
    return found && this.#engines.masterKeys.unwrap(found.wrapped, found.version, toContext(day));
  }

  async #create(day: number): Promise<Buffer> {
    const { masterKeys, random } = this.#engines;
    const key = random.bytes(keyBytes);
    if (await this.store(day, await masterKeys.wrap(key, toContext(day)), undefined)) return key;
    const others = await this.#read(day);
    if (others) return others;
    const cause = new Error('the key of a day is neither written nor found');
    throw new ExchangeError('unavailable', undefined, { cause, engine: 's3' });
  }

  #remember(day: number, fetch: () => Promise<Buffer>): Promise<Buffer> {
    const nowMs = performance.now();
    const found = this.#opened.get(day);
    if (found && nowMs - found.atMs < openedMs) return found.key;
    this.#opened.delete(day);
    const key = fetch();
    this.#opened.set(day, { key, atMs: nowMs });
    key.catch(() => {
      if (this.#opened.get(day)?.key === key) this.#opened.delete(day);
    });
    const [oldest] = this.#opened.keys();
    if (this.#opened.size > maxOpened && oldest !== undefined) this.#opened.delete(oldest);
    return key;
  }
}
