import type { Command } from 'commander';
import type { Assembly } from '../assemble.ts';

/** What a command is given: the engines, and where its answer goes. */
export interface AdminContext {
  readonly engines: Pick<Assembly, 'store' | 'random' | 'pepper' | 'objects' | 'checkpoint' | 'migrate'>;
}

/** Runs a command with the engines opened for it on a database that is up to date, and closed after it. */
export type WithEngines = (
  work: (context: AdminContext) => Promise<void>,
  options?: { readonly migrateFirst: boolean },
) => Promise<void>;

/** One file a command: it adds itself to its parent. */
export type AddCommand = (parent: Command, withEngines: WithEngines) => void;

/** Prints for a person, or as one JSON value for a program. */
export function print(json: boolean | undefined, value: unknown, lines: readonly string[]): void {
  process.stdout.write(json ? `${JSON.stringify(value)}\n` : lines.map((line) => `${line}\n`).join(''));
}
