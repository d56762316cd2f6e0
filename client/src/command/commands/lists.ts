import { type Context, unlessMissing } from '../context.ts';
import type { Column } from '../terminal/table.ts';
import { counted } from './send.ts';

/** What a list has, with its details if there still are any. */
export interface Listed<Item, Details> {
  item: Item;
  details: Details | undefined;
}

/** Where the details of what is listed are. */
interface Source<Details> {
  get(id: string, options: { signal: AbortSignal }): Promise<Details>;
}

/** A list of the API has only the numbers of receivers and files. Programs read those, and people want names. */
export async function listWithDetails<Item extends { id: string }, Details>(
  { answers, signal }: Context,
  source: Source<Details>,
  items: AsyncIterable<Item>,
  columns: readonly Column<Listed<Item, Details>>[],
): Promise<number> {
  const listed = answers.isJson ? bare<Item, Details>(items) : withDetails(source, items, signal);
  return await answers.list(columns, listed, (row) => row.item);
}

async function* bare<Item, Details>(items: AsyncIterable<Item>): AsyncGenerator<Listed<Item, Details>, void, void> {
  for await (const item of items) yield { item, details: undefined };
}

const readsAtOnce = 4;

async function* withDetails<Item extends { id: string }, Details>(
  source: Source<Details>,
  items: AsyncIterable<Item>,
  signal: AbortSignal,
): AsyncGenerator<Listed<Item, Details>, void, void> {
  const reads: Promise<Listed<Item, Details>>[] = [];
  for await (const item of items) {
    // Its records may have been removed just now.
    const read = unlessMissing(source.get(item.id, { signal })).then((details) => ({ item, details }));
    read.catch(() => undefined); // it is reported when it is waited for
    reads.push(read);
    if (reads.length >= readsAtOnce) yield (await reads.shift()) as Listed<Item, Details>;
  }
  for (const read of reads) yield await read;
}

/** The names if they are known, or else how many there are. */
export function named(names: readonly string[] | undefined, count: number, thing: string): string {
  return names?.join(', ') ?? counted(count, thing);
}

/** All of them, if there is no limit. */
export async function* firstOf<T>(
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
