import type { ComponentChildren, JSX } from 'preact';

export interface Column<Row> {
  readonly label: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Aligns numbers and the actions of a row. */
  readonly end?: boolean | undefined;
  /** Hides the label, which is still read out. */
  readonly unlabelled?: boolean | undefined;
}

/**
 * A table whose first column names the row. On a phone each row is a card, and each cell has its label beside it; the
 * roles tell screen readers that it is still a table, which `display` would hide.
 */
export function Table<Row>(props: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
}): JSX.Element {
  const { columns, rows } = props;
  return (
    <table class="table" role="table">
      <caption>{props.caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ label, end, unlabelled }) => (
            <th key={label} scope="col" role="columnheader" class={end ? 'cell-end' : undefined}>
              {unlabelled ? <span class="unseen">{label}</span> : label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={props.rowKey(row)} role="row">
            {columns.map(({ label, cell, end, unlabelled }, index) =>
              index === 0 ? (
                <th key={label} scope="row" role="rowheader">
                  {cell(row)}
                </th>
              ) : (
                <td
                  key={label}
                  role="cell"
                  class={end ? 'cell-end' : undefined}
                  data-label={unlabelled ? undefined : label}
                >
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
