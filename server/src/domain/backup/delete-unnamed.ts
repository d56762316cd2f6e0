import type { Engines } from '../engines.ts';
import type { BucketInventory } from './backup-place.ts';
import type { DatabaseCopies, NamedObjects } from './database-copies.ts';

/** The only forms of keys that Waybill writes. Whatever else is in the bucket belongs to someone else. */
const objectKey = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/(\d{8})$/;
const dayKeyKey = /^day-keys\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const keysPerRequest = 1_000;
/** The first ones are enough to see what is wrong. */
const listed = 1_000;

export interface DeletionCounts {
  readonly deleted: number;
  readonly dayKeysDeleted: number;
  /** Day keys that no row names and that were kept. */
  readonly dayKeysKept: number;
  /** Objects for which the store fails. */
  readonly undeleted: readonly string[];
}

/**
 * Deletes the objects that no row of the database names, which nothing else would ever delete. Both the bucket and the
 * database list what they have in the same order, so neither list is ever held in memory. Keys that are not of Waybill's
 * forms are left alone. An object that the store does not delete is recorded, and tried again by the sweep.
 */
export async function deleteUnnamed(
  engines: Pick<Engines, 'store' | 'objects'> & { readonly bucket: BucketInventory; readonly database: DatabaseCopies },
  options: {
    readonly signal: AbortSignal;
    /** While the key of a day is missing, it may be one of those that no row names. */
    readonly keepDayKeys: boolean;
  },
): Promise<DeletionCounts> {
  const { bucket, database } = engines;
  const result = { deleted: 0, dayKeysDeleted: 0, dayKeysKept: 0, undeleted: [] as string[] };
  const dayKeys = new Set(await database.dayKeyObjects());
  await using names = new Names(database.namedObjects());
  let batch: string[] = [];
  const flush = async () => {
    const left = new Set(await engines.objects.delete(batch));
    for (const key of batch) if (!left.has(key)) result[dayKeyKey.test(key) ? 'dayKeysDeleted' : 'deleted'] += 1;
    if (left.size > 0) await engines.store.undeletedObjects.record([...left]);
    for (const key of left) if (result.undeleted.length < listed) result.undeleted.push(key);
    batch = [];
  };
  for await (const key of bucket.keys()) {
    options.signal.throwIfAborted();
    const [, dayKey] = dayKeyKey.exec(key) ?? [];
    const [, id, number] = objectKey.exec(key) ?? [];
    if (dayKey !== undefined && !dayKeys.has(dayKey)) {
      if (options.keepDayKeys) result.dayKeysKept += 1;
      else batch.push(key);
    } else if (id !== undefined && Number(number) >= (await names.readCount(id))) batch.push(key);
    if (batch.length === keysPerRequest) await flush();
  }
  if (batch.length > 0) await flush();
  return result;
}

/** Counts the objects of an id, for ids that come in the order of the list. */
class Names implements AsyncDisposable {
  readonly #names: AsyncIterator<NamedObjects>;
  #current: NamedObjects | undefined;
  #last = '';

  constructor(names: AsyncIterable<NamedObjects>) {
    this.#names = names[Symbol.asyncIterator]();
  }

  async readCount(id: string): Promise<number> {
    // In any other order, objects that are needed would be taken for objects that nothing names.
    if (id < this.#last) throw new Error('the object store does not list keys in the order of their bytes');
    this.#last = id;
    while (this.#current === undefined || this.#current.id < id) {
      const { value, done } = await this.#names.next();
      if (done) return 0;
      this.#current = value;
    }
    return this.#current.id === id ? this.#current.objects : 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#names.return?.();
  }
}
