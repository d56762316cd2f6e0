import { createContext, createElement, type JSX } from 'preact';
import { useContext } from 'preact/hooks';

/** Draws some rows of a list. */
export type DrawRows = () => JSX.Element;

/**
 * Takes the groups of each list of a page, in the order in which the lists are drawn, so that `renderParts` draws them after
 * the rest of the page; undefined where everything is drawn at once, as in a browser.
 */
export const TakeRowsContext = createContext<((groups: readonly DrawRows[]) => void) | undefined>(undefined);

/** A group is drawn without a pause. */
const rowsPerGroup = 10;
const placeName = 'rows-of-list';
/** Holds the place of rows that are drawn later. No text on a page can look like it, because texts are escaped. */
export const placeOfRows = `<${placeName}></${placeName}>`;

/** The rows of a list that may be long. */
export function Rows<Item>(props: {
  items: readonly Item[];
  row: (item: Item, index: number) => JSX.Element;
  /** Whether a row has lists itself, so that it is a group of its own. */
  hasLists?: boolean | undefined;
}): JSX.Element {
  const { items, row } = props;
  const perGroup = props.hasLists ? 1 : rowsPerGroup;
  const takeRows = useContext(TakeRowsContext);
  if (!takeRows || items.length <= perGroup) return <>{items.map(row)}</>;
  takeRows(
    Array.from({ length: Math.ceil(items.length / perGroup) }, (_, group) => () => {
      const first = group * perGroup;
      return <>{items.slice(first, first + perGroup).map((item, index) => row(item, first + index))}</>;
    }),
  );
  return createElement(placeName, null);
}

/** Short enough even if each character is drawn as an entity; none is cut in two. */
const piecesOfText = /.{1,8192}/gsu;

/** A text that may be as long as a form, for the content of a field. */
export function LongText({ children: text }: { children: string }): JSX.Element {
  return <Rows items={text.match(piecesOfText) ?? []} row={(piece) => <>{piece}</>} />;
}
