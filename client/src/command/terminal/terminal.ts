import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { ErrorReport } from '../exit-codes.ts';
import { FactSheet } from './fact-sheet.ts';
import { createPaint, type Paint } from './paint.ts';
import { toJsonText, toPrintable } from './printable.ts';
import { type Column, Table } from './table.ts';
import { wrap } from './text-width.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type Screen = Writable & { isTTY?: boolean; columns?: number };

/** Where a command reads and writes. */
export interface Terminal {
  input: Readable & { isTTY?: boolean };
  output: Screen;
  /** For people: progress, notices and failures. */
  errors: Screen;
  environment: Environment;
  homeFolder: string;
}

/** A terminal that does not know its width says 0. */
export function screenWidth({ columns }: Screen): number {
  return columns || 80;
}

/** A table's columns are as wide as its first rows need; the others are printed as they arrive. */
const measuredRows = 100;

/** The output of a command: sentences for people, or JSON, one value per line. */
export class Output {
  readonly #terminal: Terminal;
  /** For programs: then nothing is worth a request that only people would want. */
  readonly isJson: boolean;
  readonly #paint: Paint;

  constructor(terminal: Terminal, json: boolean) {
    this.#terminal = terminal;
    this.isJson = json;
    this.#paint = createPaint(terminal.output, terminal.environment);
  }

  async print(text: string, value: unknown): Promise<void> {
    await this.#writeLine(this.isJson ? toJsonText(value) : toPrintable(text));
  }

  /**
   * A line for each row: in columns with headers on a terminal, and separated by tabs, whole and without headers,
   * elsewhere. Returns how many rows there were.
   */
  async printList<Row>(
    columns: readonly Column<Row>[],
    rows: AsyncIterable<Row> | Iterable<Row>,
    valueOf: (row: Row) => unknown = (row) => row,
  ): Promise<number> {
    const { output } = this.#terminal;
    let count = 0;
    if (this.isJson || output.isTTY !== true) {
      const plain = (row: Row) => columns.map(({ cell, plain: whole = cell }) => toPrintable(whole(row))).join('\t');
      for await (const row of rows) {
        await this.#writeLine(this.isJson ? toJsonText(valueOf(row)) : plain(row));
        count += 1;
      }
      return count;
    }
    const first: Row[] = [];
    let table: Table<Row> | undefined;
    const begin = async (isWhole: boolean) => {
      const made = new Table(columns, first, isWhole, screenWidth(output), this.#paint);
      for (const line of [made.header(), ...first.map((row) => made.line(row))]) await this.#writeLine(line);
      return made;
    };
    for await (const row of rows) {
      count += 1;
      if (table) await this.#writeLine(table.line(row));
      else if (first.push(row) === measuredRows) table = await begin(false);
    }
    if (!table && count > 0) await begin(true);
    return count;
  }

  /** The first rows of a table that has so many, for people to decide by; beside the output proper. */
  printPreview<Row>(columns: readonly Column<Row>[], first: readonly Row[], count: number): void {
    const { errors } = this.#terminal;
    const width = errors.isTTY === true ? screenWidth(errors) : Number.POSITIVE_INFINITY;
    const table = new Table(columns, first, true, width, createPaint(errors, this.#terminal.environment));
    for (const line of [table.header(), ...first.map((row) => table.line(row))]) {
      if (!this.isJson) errors.write(`${line}\n`);
    }
    if (count > first.length) this.notice(`… and ${count - first.length} more`);
  }

  /** One thing with all its details. The lines come from a `Sheet`. */
  async printDetails(value: unknown, write: (sheet: FactSheet) => void): Promise<void> {
    if (this.isJson) {
      await this.#writeLine(toJsonText(value));
      return;
    }
    const { output } = this.#terminal;
    const sheet = new FactSheet(output.isTTY === true ? screenWidth(output) : Number.POSITIVE_INFINITY, this.#paint);
    write(sheet);
    await this.#writeLine(sheet.lines.join('\n'));
  }

  /** Waits for a slow reader. */
  async #writeLine(line: string): Promise<void> {
    if (!this.#terminal.output.write(`${line}\n`)) await once(this.#terminal.output, 'drain');
  }

  /** For people only, beside the output proper. */
  notice(text: string): void {
    if (!this.isJson) this.#terminal.errors.write(`${toPrintable(text)}\n`);
  }

  printError({ code, message, next, instance }: ErrorReport): void {
    const { errors } = this.#terminal;
    if (this.isJson) {
      errors.write(`${toJsonText({ status: 'error', code, message, next, instance })}\n`);
      return;
    }
    const request = instance === undefined ? '' : ` (${instance})`;
    const program = 'waybill: ';
    const width = errors.isTTY === true ? screenWidth(errors) - program.length : Number.POSITIVE_INFINITY;
    const lines = [`${message}${request}`, next].flatMap((text) => wrap(toPrintable(text), width));
    errors.write(`${program}${lines.join(`\n${' '.repeat(program.length)}`)}\n`);
  }
}
