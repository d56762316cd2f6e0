import { ignoreNotFound } from '../../errors.ts';
import { type Context } from '../context.ts';
import { pluralize } from '../terminal/format.ts';
import type { Column } from '../terminal/table.ts';

/** An item of a list, with its details unless they were purged. */
export interface ListedItem<Item, Details> {
  item: Item;
  details: Details | undefined;
}

/** The collection that has the details of items. */
interface DetailsSource<Details> {
  get(id: string, options: { signal: AbortSignal }): Promise<Details>;
}

/**
 * Prints items with their details. Lists of the API contain only the numbers of receivers and files, which is enough
 * for JSON; for people, the names are read as well.
 */
export async function listWithDetails<Item extends { id: string }, Details>(
  { output, signal }: Context,
  source: DetailsSource<Details>,
  items: AsyncIterable<Item>,
  columns: readonly Column<ListedItem<Item, Details>>[],
): Promise<number> {
  const listed = output.isJson ? withoutDetails<Item, Details>(items) : withDetails(source, items, signal);
  return await output.printList(columns, listed, (row) => row.item);
}

async function* withoutDetails<Item, Details>(
  items: AsyncIterable<Item>,
): AsyncGenerator<ListedItem<Item, Details>, void, void> {
  for await (const item of items) yield { item, details: undefined };
}

const concurrentReads = 4;

async function* withDetails<Item extends { id: string }, Details>(
  source: DetailsSource<Details>,
  items: AsyncIterable<Item>,
  signal: AbortSignal,
): AsyncGenerator<ListedItem<Item, Details>, void, void> {
  const reads: Promise<ListedItem<Item, Details>>[] = [];
  for await (const item of items) {
    // The item may have been purged in the meantime.
    const read = ignoreNotFound(source.get(item.id, { signal })).then((details) => ({ item, details }));
    read.catch(() => undefined); // reported when it is awaited
    reads.push(read);
    if (reads.length >= concurrentReads) yield (await reads.shift()) as ListedItem<Item, Details>;
  }
  for (const read of reads) yield await read;
}

/** Returns the names if they are known, or else their number. */
export function formatNames(names: readonly string[] | undefined, count: number, thing: string): string {
  return names?.join(', ') ?? pluralize(count, thing);
}

/** Yields the first items, or all if there is no limit. */
export async function* takeFirst<T>(
  items: AsyncIterable<T>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<T, void, void> {
  let count = 0;
  for await (const item of items) {
    yield item;
    count += 1;
    if (count >= limit) return;
  }
}
