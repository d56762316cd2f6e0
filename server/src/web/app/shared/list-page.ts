import { ExchangeError } from '../../../domain/exchange-error.ts';
import { Cursors } from '../../../http/shared/cursors.ts';
import type { Pages } from '../components/pager.tsx';
import type { MemberVisit } from './app-route.ts';
import { toHref } from './list-props.ts';

/** The rows that a screen shows of a list, besides one that shows whether there are more. */
const rowsPerPage = 50;

/** Where a page begins or ends; undefined: it is the first one. */
export type PageFrom<Position> = { readonly after: Position } | { readonly before: Position };

/** The page of a list that the URL asks for, by the row before it (`after`) or the row after it (`before`). */
export interface ListPage<Position> {
  readonly from: PageFrom<Position> | undefined;
  /** How many rows to read. */
  readonly count: number;
  /** The rows to show, and the links to the pages beside them. */
  cut<Row extends Position>(rows: readonly Row[]): { readonly rows: readonly Row[]; readonly pages: Pages };
}

/** `fields` are those of the URL that choose among the rows; `toPosition` picks what the list is ordered by. */
export function readListPage<Position>(
  { engines, membership, request }: MemberVisit,
  path: string,
  fields: Readonly<Record<string, string>>,
  toPosition: (row: Position) => Position,
): ListPage<Position> {
  const cursors = new Cursors<Position>(engines.pepper, membership, path.replace(/^\/[^/]+\//, ''), fields);
  const from = readFrom(cursors, request.query as Record<string, unknown>);
  const isBack = from !== undefined && 'before' in from;
  return {
    from,
    count: rowsPerPage + 1,
    cut(found) {
      const hasMore = found.length > rowsPerPage;
      const rows = isBack ? found.slice(-rowsPerPage) : found.slice(0, rowsPerPage);
      const [first, last] = [rows[0], rows.at(-1)];
      const hasNewer = isBack ? hasMore : from !== undefined;
      const hasOlder = isBack || hasMore;
      const link = (name: 'after' | 'before', row: Position) =>
        toHref(path, { ...fields, [name]: cursors.seal(toPosition(row)) });
      return {
        rows,
        pages: {
          newerHref: hasNewer ? (first ? link('before', first) : toHref(path, fields)) : undefined,
          olderHref: hasOlder && last ? link('after', last) : undefined,
        },
      };
    },
  };
}

/** A position that is none of this list, as of another search, means the first page. */
function readFrom<Position>(
  cursors: Cursors<Position>,
  { after, before }: Record<string, unknown>,
): PageFrom<Position> | undefined {
  try {
    if (typeof after === 'string') return { after: cursors.open(after) };
    if (typeof before === 'string') return { before: cursors.open(before) };
    return undefined;
  } catch (error) {
    if (error instanceof ExchangeError) return undefined;
    throw error;
  }
}
