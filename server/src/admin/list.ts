import { type Command, InvalidArgumentError } from 'commander';
import { toJsonText } from './json-text.ts';

/** The options that every list has. */
export interface ListOptions {
  readonly json?: boolean;
  readonly limit?: number;
  readonly page?: number;
}

/** The header of each column, and the text of a row in it; nothing is shown as a dash. */
export type Columns<Shown> = Readonly<Record<string, (shown: Shown) => string | number | null | undefined>>;

interface List<Row, Shown> {
  readonly rows: AsyncIterable<Row> | Iterable<Row>;
  readonly toShown: (row: Row) => Shown;
  readonly columns: Columns<Shown>;
  /** Rows that no filter of the command line leaves out; all by default. */
  readonly isWanted?: (shown: Shown) => boolean;
  /** Said apart from the output, in which a program may count lines, if no row is shown. */
  readonly none: string;
}

const defaultPageRows = 100;
/** The width of columns is that of these rows; later ones are printed as they are read. */
const measuredRows = 100;

export function addListOptions(command: Command): Command {
  return command
    .option('--limit <number>', 'at most so many', parseLimit)
    .option('--page <number>', `the page with this number, of --limit or ${defaultPageRows} rows`, parseLimit)
    .option('--json', 'print one JSON array');
}

/**
 * Prints a list of any length while it is read: in columns with headers for a person, or as one JSON array for a program.
 */
export async function printList<Row, Shown>(options: ListOptions, list: List<Row, Shown>): Promise<void> {
  const { json, page } = options;
  const limit = options.limit ?? (page === undefined ? Number.POSITIVE_INFINITY : defaultPageRows);
  let skipped = page === undefined ? 0 : (page - 1) * limit;
  const printer = json ? new JsonPrinter() : new TablePrinter(list.columns);
  let count = 0;
  let isCut = false;
  for await (const row of list.rows) {
    const shown = list.toShown(row);
    if (list.isWanted?.(shown) === false) continue;
    if (skipped > 0) {
      skipped -= 1;
      continue;
    }
    isCut = count >= limit;
    if (isCut) break;
    printer.add(shown);
    count += 1;
  }
  printer.end();
  if (json) return;
  if (count === 0) process.stderr.write(`${list.none}\n`);
  if (isCut) process.stderr.write(`There are more: use --page ${(page ?? 1) + 1}, a higher --limit or a filter.\n`);
}

/** Reads a list page by page, so that memory does not grow with its length. */
export async function* readPages<Row>(page: (after: Row | undefined) => Promise<readonly Row[]>): AsyncGenerator<Row> {
  for (let after: Row | undefined; ; ) {
    const rows = await page(after);
    yield* rows;
    after = rows.at(-1);
    if (after === undefined) return;
  }
}

/** Whether a text that was searched for is a part of one of these; case does not matter. */
export function containsText(searched: string | undefined, ...texts: readonly (string | null)[]): boolean {
  if (searched === undefined) return true;
  return texts.some((text) => text?.toLowerCase().includes(searched.toLowerCase()));
}

class JsonPrinter {
  #separator = '[';

  add(shown: unknown): void {
    process.stdout.write(`${this.#separator}${toJsonText(shown)}`);
    this.#separator = ',';
  }

  end(): void {
    process.stdout.write(this.#separator === '[' ? '[]\n' : ']\n');
  }
}

class TablePrinter<Shown> {
  readonly #columns: Columns<Shown>;
  readonly #first: string[][] = [];
  #widths: readonly number[] | undefined;

  constructor(columns: Columns<Shown>) {
    this.#columns = columns;
  }

  add(shown: Shown): void {
    const cells = Object.values(this.#columns).map((toCell) => String(toCell(shown) ?? '') || '-');
    if (this.#widths) printCells(cells, this.#widths);
    else if (this.#first.push(cells) >= measuredRows) this.#begin();
  }

  end(): void {
    if (this.#widths === undefined && this.#first.length > 0) this.#begin();
  }

  #begin(): void {
    const lines = [Object.keys(this.#columns), ...this.#first];
    const widths = Object.keys(this.#columns).map((_, index) =>
      Math.max(...lines.map((cells) => cells[index]?.length ?? 0)),
    );
    for (const cells of lines) printCells(cells, widths);
    this.#widths = widths;
  }
}

function printCells(cells: readonly string[], widths: readonly number[]): void {
  const line = cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ');
  process.stdout.write(`${line.trimEnd()}\n`);
}

function parseLimit(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('Use a whole number from 1.');
  return Number(value);
}
