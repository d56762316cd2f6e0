import { limits } from '@waybill/protocol';
import type { PageQuery } from '@waybill/protocol/v1';
import type { Actor } from '../../domain/actor.ts';
import { Cursors } from '../../http/shared/cursors.ts';

/** The requested page of a list. */
export interface RequestedPage<Position> {
  /** The end of the previous page; undefined for the first page. */
  readonly after: Position | undefined;
  /** The number of rows to read: one more than the response has, which shows whether there is another page. */
  readonly count: number;
  response<Row extends Position, Entry>(
    rows: readonly Row[],
    entryOf: (row: Row) => Entry,
  ): { data: Entry[]; next_cursor: string | null };
}

/**
 * Everything in the query besides the page is the filter. `positionOf` picks the columns by which the list is ordered;
 * together they must be unique.
 */
export function parsePageQuery<Position>(
  { pepper }: { readonly pepper: Buffer },
  caller: Pick<Actor, 'accountId'>,
  list: string,
  { limit = limits.pageSize, cursor, ...filter }: PageQuery,
  positionOf: (row: Position) => Position,
): RequestedPage<Position> {
  const cursors = new Cursors<Position>(pepper, caller, list, filter);
  return {
    after: cursor === undefined ? undefined : cursors.open(cursor),
    count: limit + 1,
    response(rows, entryOf) {
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      return { data: shown.map(entryOf), next_cursor: last === undefined ? null : cursors.seal(positionOf(last)) };
    },
  };
}

/** Returns a page of a list that is short enough to be read whole. */
export function toPageOf<Row extends { readonly id: string }, Entry>(
  engines: { readonly pepper: Buffer },
  caller: Pick<Actor, 'accountId'>,
  list: string,
  query: PageQuery,
  all: readonly Row[],
  entryOf: (row: Row) => Entry,
) {
  const page = parsePageQuery<{ readonly id: string }>(engines, caller, list, query, ({ id }) => ({ id }));
  const begin = all.findIndex(({ id }) => id === page.after?.id) + 1;
  return page.response(all.slice(begin, begin + page.count), entryOf);
}
