import { type Context, ignoreNotFound } from '../context.ts';
import { pluralize } from '../terminal/format.ts';
import type { Column } from '../terminal/table.ts';

/** What a list has, with its details if there still are any. */
export interface ListedItem<Item, Details> {
  item: Item;
  details: Details | undefined;
}

/** Where the details of what is listed are. */
interface DetailsSource<Details> {
  get(id: string, options: { signal: AbortSignal }): Promise<Details>;
}

/** A list of the API has only the numbers of receivers and files. Programs read those, and people want names. */
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
    // Its records may have been removed just now.
    const read = ignoreNotFound(source.get(item.id, { signal })).then((details) => ({ item, details }));
    read.catch(() => undefined); // it is reported when it is waited for
    reads.push(read);
    if (reads.length >= concurrentReads) yield (await reads.shift()) as ListedItem<Item, Details>;
  }
  for (const read of reads) yield await read;
}

/** The names if they are known, or else how many there are. */
export function formatNames(names: readonly string[] | undefined, count: number, thing: string): string {
  return names?.join(', ') ?? pluralize(count, thing);
}

/** All of them, if there is no limit. */
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
