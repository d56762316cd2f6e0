import { ExchangeError } from '../../domain/exchange-error.ts';
import type { Store } from '../../domain/ports/index.ts';
import { OutOfReachError } from './database.ts';

/** Connection failures, shutdowns, too many connections, time-outs: the same request may well succeed a little later. */
const passing = /^(?:08|53|57P0|57014|40001|40P01|25P03)/;

/** Turns what passes by itself into `unavailable`; a fault of ours stays what it is. */
export function whenReachable(store: Store): Store {
  const guarded = Object.fromEntries(
    Object.entries(store).map(([name, part]) => [
      name,
      typeof part === 'function'
        ? guard(part)
        : Object.fromEntries(Object.entries(part).map(([method, call]) => [method, guard(call as AnyCall)])),
    ]),
  );
  return guarded as unknown as Store;
}

type AnyCall = (...parameters: never[]) => Promise<unknown>;

function guard(call: AnyCall): AnyCall {
  return (...parameters) => unlessAway(() => call(...parameters));
}

export async function unlessAway<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Error && isPassing(error)) throw new ExchangeError('unavailable', undefined, { cause: error });
    throw error;
  }
}

function isPassing(error: Error & { code?: unknown }): boolean {
  if (error instanceof OutOfReachError) return true;
  if (typeof error.code === 'string') return passing.test(error.code) || /^E[A-Z]+$/.test(error.code);
  return driverLostConnection.test(error.message);
}

/** What the drivers say without a code when a connection cannot be had, is lost, or was given up by us. */
const driverLostConnection =
  /connection terminated|timeout exceeded when trying to connect|timeout expired|is not queryable|connection has been discarded/i;
