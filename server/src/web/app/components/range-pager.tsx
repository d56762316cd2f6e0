import type { JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Pager } from './pager.tsx';

/** A page of a list that is known as a whole, and the items before which the pages around it end. */
export interface RangePage<Item> {
  readonly items: readonly Item[];
  readonly from: number;
  readonly of: number;
  /** The last item of the page before the previous one; null if there is none, and undefined without a previous page. */
  readonly previous?: Item | null | undefined;
  /** The last item of this page; undefined without a next page. */
  readonly next?: Item | undefined;
}

/** The page that begins after the item that `isBefore` finds, or the first page. */
export function takePage<Item>(
  list: readonly Item[],
  size: number,
  isBefore: (item: Item) => boolean,
): RangePage<Item> {
  const from = list.findIndex(isBefore) + 1;
  const items = list.slice(from, from + size);
  return {
    items,
    from,
    of: list.length,
    previous: from === 0 ? undefined : (list[from - size - 1] ?? null),
    next: from + size < list.length ? items.at(-1) : undefined,
  };
}

/** Leads to the pages around this one, where one page does not show everything. */
export function RangePager<Item>(
  props: Omit<RangePage<Item>, 'items'> & {
    shown: number;
    /** The page after an item, or the first page. */
    hrefAfter: (item: Item | undefined) => string;
    /** The part of the screen that the list is in. */
    anchor: string;
  },
): JSX.Element | null {
  const translator = useTranslator();
  const { from, of, shown, previous, next, hrefAfter, anchor } = props;
  if (shown >= of) return null;
  return (
    <Pager
      pages={{
        newerHref: previous === undefined ? undefined : `${hrefAfter(previous ?? undefined)}#${anchor}`,
        olderHref: next === undefined ? undefined : `${hrefAfter(next)}#${anchor}`,
      }}
      order="name"
      about={translator.t('delivery.range', { from: from + 1, to: from + shown, of })}
    />
  );
}
