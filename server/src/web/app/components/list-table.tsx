import type { ComponentChildren, JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Icon } from '../../shared/components/icon.tsx';
import { Rows } from '../../shared/components/rows.tsx';

/** A link that sorts by the column, and the direction if the list is sorted by it. */
export interface Sort {
  readonly href: string;
  readonly direction?: 'ascending' | 'descending' | undefined;
}

export interface ListColumn<Row> {
  /** The class of its cells is `col-` and this name; the stylesheet places them on a phone by it. */
  readonly name: string;
  readonly label: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly sort?: Sort | undefined;
  /** Hides the label, which is still read out. */
  readonly unlabelled?: boolean | undefined;
  /** Aligns numbers and the actions of a row. */
  readonly end?: boolean | undefined;
}

/** Checkboxes in the first column, which belong to the form around the table. */
export interface Selection<Row> {
  /** The name of the field. */
  readonly field: string;
  readonly value: (row: Row) => string;
  /** The label of the checkbox for screen readers. */
  readonly label: (row: Row) => string;
  /** Whether the page was loaded with every row selected. */
  readonly all: boolean;
  /** Where the page is loaded with every row selected, or, if they are, with none. */
  readonly allHref: string;
}

/**
 * A dense table of the app: sorted by the links in its header, with checkboxes for a selection. Its first column names the
 * row. On a phone each row is a card; the roles tell screen readers that it is still a table, which `display` would hide.
 */
export function ListTable<Row>(props: {
  caption: string;
  /** The class that places the cells of a card. Without one, the caption is shown, and each cell has its label beside it. */
  look?: string | undefined;
  columns: readonly ListColumn<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  selection?: Selection<Row> | undefined;
  /** Replaces the cells of one row, as with a form that changes it. */
  openRow?: { readonly key: string; readonly content: ComponentChildren } | undefined;
}): JSX.Element {
  const { look, columns, selection, openRow } = props;
  return (
    <table class={look === undefined ? 'table' : `list list-${look}`} role="table">
      <caption class={look && 'unseen'}>{props.caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {selection && <SelectAll selection={selection} />}
          {columns.map((column) => (
            <Head key={column.name} column={column} />
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        <Rows
          items={props.rows}
          row={(row) =>
            props.rowKey(row) === openRow?.key ? (
              <tr key={openRow.key} role="row" class="open-row">
                <td role="cell" colSpan={columns.length + (selection ? 1 : 0)}>
                  {openRow.content}
                </td>
              </tr>
            ) : (
              <tr key={props.rowKey(row)} role="row" data-row={props.rowKey(row)}>
                {selection && (
                  <td role="cell" class="col-pick">
                    <label class="pick">
                      <input
                        type="checkbox"
                        name={selection.field}
                        value={selection.value(row)}
                        checked={selection.all}
                        aria-label={selection.label(row)}
                      />
                    </label>
                  </td>
                )}
                {columns.map((column, index) =>
                  index === 0 ? (
                    <th key={column.name} scope="row" role="rowheader" class={toClass(column)}>
                      {column.cell(row)}
                    </th>
                  ) : (
                    <td
                      key={column.name}
                      role="cell"
                      class={toClass(column)}
                      data-label={look === undefined && !column.unlabelled ? column.label : undefined}
                    >
                      {column.cell(row)}
                    </td>
                  ),
                )}
              </tr>
            )
          }
        />
      </tbody>
    </table>
  );
}

function toClass<Row>({ name, end }: ListColumn<Row>): string {
  return `col-${name}${end ? ' cell-end' : ''}`;
}

function Head<Row>({ column }: { column: ListColumn<Row> }): JSX.Element {
  const { label, sort, unlabelled } = column;
  return (
    <th scope="col" role="columnheader" class={toClass(column)} aria-sort={sort?.direction}>
      {sort ? (
        <a href={sort.href} class={sort.direction && `sort-${sort.direction}`}>
          {label}
          <Icon name="down" small />
        </a>
      ) : unlabelled ? (
        <span class="unseen">{label}</span>
      ) : (
        label
      )}
    </th>
  );
}

/** A link, because a checkbox cannot check others without a script. */
function SelectAll<Row>({ selection: { all, allHref } }: { selection: Selection<Row> }): JSX.Element {
  const translator = useTranslator();
  const label = translator.t(all ? 'list.selectNone' : 'list.selectAll');
  return (
    <th scope="col" role="columnheader" class="col-pick">
      <a class="pick-all" href={allHref} aria-label={label} title={label}>
        <span class={`box${all ? ' box-on' : ''}`}>{all && <Icon name="check" small />}</span>
      </a>
    </th>
  );
}
