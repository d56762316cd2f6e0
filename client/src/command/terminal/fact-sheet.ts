import type { Paint, Style } from './paint.ts';
import { toPrintable } from './printable.ts';
import { type Column, Table } from './table.ts';
import { pad, textWidth } from './text-width.ts';

/** A name and a value, which may have several lines, with a style if it is good or bad. */
export type Fact = readonly [name: string, value: string, style?: Style];

/** Details of one object for people: facts and tables. */
export class FactSheet {
  readonly lines: string[] = [];
  readonly #width: number;
  readonly #paint: Paint;

  constructor(width: number, paint: Paint) {
    this.#width = width;
    this.#paint = paint;
  }

  /** Adds facts; those without a value are omitted. */
  addFacts(facts: readonly Fact[]): void {
    const known = facts.filter(([, value]) => value !== '');
    const width = Math.max(...known.map(([name]) => textWidth(name)));
    for (const [name, value, style] of known) {
      const [first = '', ...more] = value.split('\n').map((line) => this.#paint(style, toPrintable(line)));
      this.lines.push(`${this.#paint('dim', pad(name, width))}  ${first}`);
      for (const line of more) this.lines.push(`${' '.repeat(width)}  ${line}`.trimEnd());
    }
  }

  addTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): void {
    if (rows.length === 0) return;
    const table = new Table(columns, rows, true, this.#width, this.#paint);
    this.lines.push('', table.header(), ...rows.map((row) => table.line(row)));
  }
}
