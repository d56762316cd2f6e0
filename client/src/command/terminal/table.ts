import type { Paint, Style } from './paint.ts';
import { toPrintable } from './printable.ts';
import { pad, shorten, textWidth } from './text-width.ts';

export interface Column<Row> {
  header: string;
  /** The text for people. */
  cell: (row: Row) => string;
  /** The text for programs, if it differs. */
  plain?: (row: Row) => string;
  /** The minimum width on a narrow terminal. Without it, the column is not shortened. */
  min?: number;
  /** Whether the column stays on a narrow terminal, because commands need its values. */
  isKept?: boolean;
  side?: 'left' | 'right';
  style?: (row: Row) => Style | undefined;
}

const gap = 2;

interface MeasuredColumn<Row> {
  column: Column<Row>;
  width: number;
}

/** A table whose columns are as wide as the given rows need, within the width of a terminal. */
export class Table<Row> {
  readonly #columns: MeasuredColumn<Row>[];
  readonly #paint: Paint;

  /** `isWhole`: these are all rows, so that empty columns can be omitted. */
  constructor(columns: readonly Column<Row>[], rows: readonly Row[], isWhole: boolean, width: number, paint: Paint) {
    const measured = columns.map((column) => {
      const widths = rows.map((row) => textWidth(toPrintable(column.cell(row))));
      const content = widths.reduce((widest, one) => Math.max(widest, one), 0);
      return { column, content, width: Math.max(content, textWidth(column.header)) };
    });
    const needed = measured.filter(({ content }) => content > 0 || !isWhole);
    this.#columns = fitColumns(needed, width);
    this.#paint = paint;
  }

  header(): string {
    const cells = this.#columns.map(({ column, width }) => pad(shorten(column.header, width), width, column.side));
    return this.#paint('bold', cells.join(' '.repeat(gap)).trimEnd());
  }

  line(row: Row): string {
    const cells = this.#columns.map(({ column, width }, index) => {
      const whole = toPrintable(column.cell(row));
      // A row that is too long is better than, for example, a truncated number.
      const mayBeShortened = column.min !== undefined || (this.#columns.length === 1 && column.isKept !== true);
      const text = mayBeShortened ? shorten(whole, width) : whole;
      const isLast = index === this.#columns.length - 1 && column.side !== 'right';
      return this.#paint(column.style?.(row), isLast ? text : pad(text, width, column.side));
    });
    return cells.join(' '.repeat(gap)).trimEnd();
  }
}

/**
 * Shrinks the widest column that may be shortened until all columns fit. If that is not enough, removes the last column
 * that need not be kept, and starts again.
 */
function fitColumns<Row>(columns: readonly MeasuredColumn<Row>[], width: number): MeasuredColumn<Row>[] {
  const kept = columns.map((one) => ({ ...one }));
  const excess = () => kept.reduce((sum, one) => sum + one.width + gap, -gap) - width;
  while (excess() > 0) {
    const widest = kept
      .filter((one) => one.column.min !== undefined && one.width > one.column.min)
      .toSorted((one, other) => other.width - one.width)[0];
    if (widest) widest.width -= 1;
    else {
      const last = columns.findLastIndex(({ column }) => column.isKept !== true);
      if (kept.length > 1 && last >= 0) return fitColumns(columns.toSpliced(last, 1), width);
      return kept.map((one) => ({ ...one, width: one.column.isKept ? one.width : width }));
    }
  }
  return kept;
}
