import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { ErrorReport } from '../error-report.ts';
import { FactSheet } from './fact-sheet.ts';
import { toLocalTimes } from './format.ts';
import { createPaint, type Paint } from './paint.ts';
import { hideKeys, toJsonText, toPrintable } from './printable.ts';
import { type Column, Table } from './table.ts';
import { eraseTemporaryLine } from './temporary-line.ts';
import { wrap } from './text-width.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type Screen = Writable & { isTTY?: boolean; columns?: number };

/** The input and output of a command. */
export interface Terminal {
  input: Readable & { isTTY?: boolean };
  output: Screen;
  /** Standard error, for progress, notices and failures. */
  errors: Screen;
  environment: Environment;
  homeFolder: string;
}

/** Returns the width of a terminal, which reports 0 if it is unknown. */
export function screenWidth({ columns }: Screen): number {
  return columns || 80;
}

/** The width of columns is measured on the first rows; later rows are printed as they arrive. */
const measuredRows = 100;

/** The output of a command: text for people, or JSON with one value per line. */
export class Output {
  readonly #terminal: Terminal;
  /** Whether to print JSON; details that only people need are not requested then. */
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
   * Prints a line for each row: in columns with headers on a terminal; separated by tabs, unshortened and without
   * headers elsewhere. Returns the number of rows.
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

  /** Prints the first of `count` rows to standard error, before a confirmation. */
  printPreview<Row>(columns: readonly Column<Row>[], first: readonly Row[], count: number): void {
    const { errors } = this.#terminal;
    const width = errors.isTTY === true ? screenWidth(errors) : Number.POSITIVE_INFINITY;
    const table = new Table(columns, first, true, width, createPaint(errors, this.#terminal.environment));
    for (const line of [table.header(), ...first.map((row) => table.line(row))]) {
      if (!this.isJson) this.#writeError(line);
    }
    if (count > first.length) this.notice(`… and ${count - first.length} more`);
  }

  /** Prints the details of one object. */
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

  /** Writes a line, and waits for a slow reader. */
  async #writeLine(line: string): Promise<void> {
    eraseTemporaryLine(this.#terminal.errors);
    if (!this.#terminal.output.write(`${line}\n`)) await once(this.#terminal.output, 'drain');
  }

  /** Prints the result of a command that the user did not confirm. */
  async printUnchanged(): Promise<void> {
    await this.print('Nothing was changed.', { status: 'unchanged' });
  }

  /** Prints a notice to standard error, unless the output is JSON. */
  notice(text: string): void {
    if (!this.isJson) this.#writeError(toPrintable(hideKeys(text)));
  }

  /** Prints a failure to standard error, as one JSON value if the output is JSON. */
  printError(report: Omit<ErrorReport, 'exit'>): void {
    const { errors } = this.#terminal;
    const { code, instance, details } = report;
    const message = hideKeys(report.message);
    const next = hideKeys(report.next);
    if (this.isJson) {
      this.#writeError(toJsonText({ status: 'error', code, message, next, instance, ...details }));
      return;
    }
    // Only an error of the server itself is looked up in its log.
    const request = instance !== undefined && code === 'internal' ? ` (${instance})` : '';
    const program = 'waybill: ';
    const width = errors.isTTY === true ? screenWidth(errors) - program.length : Number.POSITIVE_INFINITY;
    const sentences = [...`${toLocalTimes(message)}${request}`.split('\n'), next];
    const lines = sentences.flatMap((text) => wrap(toPrintable(text), width));
    this.#writeError(`${program}${lines.join(`\n${' '.repeat(program.length)}`)}`);
  }

  #writeError(line: string): void {
    eraseTemporaryLine(this.#terminal.errors);
    this.#terminal.errors.write(`${line}\n`);
  }
}
