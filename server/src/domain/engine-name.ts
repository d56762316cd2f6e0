import { errors } from '@waybill/protocol';
import { reason } from './doctor/finding.ts';
import { ExchangeError } from './exchange-error.ts';

/** The engines that a request can need, as the log, /readyz and the metrics name them. */
export type EngineName = 'postgres' | 'valkey' | 's3' | 'clamd' | 'smtp' | 'sms' | 'masterKeys';

/**
 * The engine that made a call fail, and why in its own words; undefined for any other error. Without an engine, something of
 * ours was full, and its message says what. The text for callers of the API says nothing to an operator.
 */
export function toOutage(
  error: unknown,
): { readonly engine: EngineName | undefined; readonly reason: string | undefined } | undefined {
  if (!(error instanceof ExchangeError) || error.code !== 'unavailable') return undefined;
  const own = error.message === errors.unavailable.message ? undefined : error.message;
  return { engine: error.engine, reason: describeCauses(error.cause) ?? own };
}

/** The messages of an error and of what caused it, on one line. */
export function describeCauses(error: unknown): string | undefined {
  const found = new Set<string>();
  for (let cause = error; cause instanceof Error && found.size < 3; cause = cause.cause) {
    if (cause.message !== errors.unavailable.message) found.add(reason(cause));
  }
  return found.size === 0 ? undefined : [...found].join(': ');
}
