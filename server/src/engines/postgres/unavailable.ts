import { DatabaseError } from 'pg';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { OutOfReachError } from './database.ts';

/**
 * Connection failures, shutdowns, too many connections, timeouts, a database that is read-only for a while, a login that
 * is refused because a password was changed: the same request may well succeed a little later.
 */
const passing = /^(?:08|53|57P0|57014|40001|40P01|25P03|25006|28000|28P01|3D000)/;

type Call = (...parameters: never[]) => Promise<unknown>;

/** Turns temporary failures of a call or an area into `unavailable`; an error of our own stays as it is. */
export function whenReachable(part: object): object {
  const guard =
    (call: Call): Call =>
    (...parameters) =>
      translateDatabaseErrors(() => call(...parameters));
  if (typeof part === 'function') return guard(part as Call);
  return Object.fromEntries(Object.entries(part).map(([name, call]) => [name, guard(call as Call)]));
}

export async function translateDatabaseErrors<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (isStorageFull(error)) throw new ExchangeError('storage_full', fullMessage(error.detail), { cause: error });
    if (error instanceof Error && isPassing(error)) throw toUnavailable(error);
    throw error;
  }
}

export function toUnavailable(cause: Error): ExchangeError {
  return new ExchangeError('unavailable', undefined, { cause, engine: 'postgres' });
}

/** Raised by the database's own change_usage(), with the limit as its detail. */
function isStorageFull(error: unknown): error is { readonly detail: string } {
  return error instanceof DatabaseError && error.code === 'WBFUL';
}

function fullMessage(maxBytes: string): string {
  return `The account may store ${maxBytes} bytes, and this would be more. Remove uploaded files, revoke drops or wait until they end, or ask the administrator for more.`;
}

export function isPassing(error: Error & { code?: unknown }): boolean {
  if (error instanceof OutOfReachError) return true;
  if (isOfFile(error)) return false;
  if (typeof error.code === 'string') return passing.test(error.code) || /^E[A-Z]+$/.test(error.code);
  return driverLostConnection.test(error.message);
}

/** Thrown by work that is done under a lock of the database, such as a backup to a disk that is full. */
function isOfFile(error: Error): boolean {
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  return ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'].includes(code ?? '') || (path !== undefined && syscall !== 'connect');
}

/** Messages of the drivers that have no code: a connection cannot be opened, is lost, or was abandoned by us. */
const driverLostConnection =
  /connection terminated|timeout exceeded when trying to connect|timeout expired|is not queryable|connection has been discarded/i;
