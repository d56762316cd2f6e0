import { createContext, createElement, type JSX } from 'preact';
import { useContext } from 'preact/hooks';

/** Draws some rows of a list. */
export type DrawRows = () => JSX.Element;

/**
 * Takes the groups of each list of a page, in the order in which the lists are drawn, so that `renderParts` draws them after
 * the rest of the page; undefined where everything is drawn at once, as in a browser.
 */
export const TakeRowsContext = createContext<((groups: readonly DrawRows[]) => void) | undefined>(undefined);

/** A group is drawn without a pause. A row of a group may have a list that is as short, which belongs to it. */
const rowsPerGroup = 10;
const placeName = 'rows-of-list';
/** Holds the place of rows that are drawn later. No text on a page can look like it, because texts are escaped. */
export const placeOfRows = `<${placeName}></${placeName}>`;

/** The rows of a list that may be long. */
export function Rows<Item>(props: {
  items: readonly Item[];
  row: (item: Item, index: number) => JSX.Element;
}): JSX.Element {
  const { items, row } = props;
  const takeRows = useContext(TakeRowsContext);
  if (!takeRows || items.length <= rowsPerGroup) return <>{items.map(row)}</>;
  takeRows(
    Array.from({ length: Math.ceil(items.length / rowsPerGroup) }, (_, group) => () => {
      const first = group * rowsPerGroup;
      return <>{items.slice(first, first + rowsPerGroup).map((item, index) => row(item, first + index))}</>;
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
