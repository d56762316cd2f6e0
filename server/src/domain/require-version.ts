import { ExchangeError } from './exchange-error.ts';

/** Call it when the row is locked, so that the version is still the same when the change is made. */
export function requireVersion(allowed: readonly string[] | undefined, version: string): void {
  if (allowed && !allowed.includes(version)) throw new ExchangeError('precondition_failed');
}
