import type { Command } from 'commander';
import type { Assembly } from '../assemble.ts';

/** What a command is given: the engines, and where its answer goes. */
export interface AdminContext {
  readonly engines: Pick<Assembly, 'store' | 'random' | 'pepper' | 'objects' | 'checkpoint' | 'policy' | 'migrate'>;
}

/** Runs a command with the engines opened for it on a database that is up to date, and closed after it. */
export type WithEngines = (
  work: (context: AdminContext) => Promise<void>,
  options?: { readonly migrateFirst: boolean },
) => Promise<void>;

/** One file per command: it adds itself to its parent. */
export type AddCommand = (parent: Command, withEngines: WithEngines) => void;

/** Prints for a person, or as one JSON value for a program. */
export function print(json: boolean | undefined, value: unknown, lines: readonly string[]): void {
  process.stdout.write(json ? `${JSON.stringify(value)}\n` : lines.map((line) => `${line}\n`).join(''));
}

/** A list of any length, a page at a time: a line each for a person, or one JSON array for a program. */
export async function printPages<Row, Shown>(
  json: boolean | undefined,
  page: (after: Row | undefined) => Promise<readonly Row[]>,
  shown: (row: Row) => Shown,
  line: (shown: Shown) => string,
): Promise<void> {
  let separator = '[';
  for (let after: Row | undefined; ; ) {
    const rows = await page(after);
    for (const row of rows) {
      process.stdout.write(json ? `${separator}${JSON.stringify(shown(row))}` : `${line(shown(row))}\n`);
      separator = ',';
    }
    after = rows.at(-1);
    if (!after) break;
  }
  if (json) process.stdout.write(separator === '[' ? '[]\n' : ']\n');
}
