import { isWaybillError } from '../errors.ts';
import type { Waybill } from '../waybill.ts';
import { openClient } from './account.ts';
import { CommandError, exitCodes } from './exit-codes.ts';
import { eraseTemporaryLine } from './terminal/temporary-line.ts';
import type { Output, Terminal } from './terminal/terminal.ts';

/** The dependencies of every command. */
export interface Context {
  terminal: Terminal;
  output: Output;
  signal: AbortSignal;
}

export async function withClient<T>({ terminal, output }: Context, use: (client: Waybill) => Promise<T>): Promise<T> {
  const { client } = await openClient(terminal, output);
  try {
    return await use(client);
  } finally {
    client.close();
    eraseTemporaryLine(terminal.errors);
  }
}

/** Replaces a "not found" error by one that names what is missing, and the command that lists what exists. */
export async function explainNotFound<T>(found: Promise<T>, message: string, list: string): Promise<T> {
  return await found.catch((error: unknown) => {
    throw isWaybillError(error, 'not_found') ? notFoundError(message, list) : error;
  });
}

export function notFoundError(message: string, list: string): CommandError {
  return new CommandError(exitCodes.refused, 'not_found', message, `To list what exists: ${list}`);
}

export function isId(identifier: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(identifier);
}

/** Returns the only item; throws if there is none or more than one. */
export function requireSingle<T>(found: readonly T[], what: string, identifier: string, list: string): T {
  const [first] = found;
  if (first === undefined) throw notFoundError(`There is no ${what} ${identifier}.`, list);
  if (found.length === 1) return first;
  const message = `More than one ${what} is called ${identifier}.`;
  throw new CommandError(exitCodes.usage, 'ambiguous', message, `Use its id: ${list} --json`);
}
