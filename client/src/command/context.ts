import { isWaybillError } from '../errors.ts';
import type { Waybill } from '../waybill.ts';
import { openClient } from './account.ts';
import { CommandError, exits } from './exit-codes.ts';
import type { Answers, Terminal } from './terminal/terminal.ts';

/** What every command works with. */
export interface Context {
  terminal: Terminal;
  answers: Answers;
  signal: AbortSignal;
}

export async function withClient<T>({ terminal }: Context, use: (client: Waybill) => Promise<T>): Promise<T> {
  const { client } = await openClient(terminal);
  try {
    return await use(client);
  } finally {
    client.close();
  }
}

/** Says what it is that does not exist, and how to see what does. */
export async function orMissing<T>(found: Promise<T>, message: string, list: string): Promise<T> {
  return await found.catch((error: unknown) => {
    throw isWaybillError(error, 'not_found') ? missing(message, list) : error;
  });
}

/** Undefined if it does not exist. */
export async function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
  return await found.catch((error: unknown) => {
    if (isWaybillError(error, 'not_found')) return undefined;
    throw error;
  });
}

export function missing(message: string, list: string): CommandError {
  return new CommandError(exits.refused, 'not_found', message, `To see those that there are: ${list}`);
}

export function isId(word: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(word);
}

/** The only one of some things, if there is exactly one. */
export function theOnly<T>(found: readonly T[], what: string, word: string, list: string): T {
  const [first] = found;
  if (first === undefined) throw missing(`There is no ${what} ${word}.`, list);
  if (found.length === 1) return first;
  const message = `More than one ${what} is called ${word}.`;
  throw new CommandError(exits.usage, 'ambiguous', message, `Use its id: ${list} --json`);
}
