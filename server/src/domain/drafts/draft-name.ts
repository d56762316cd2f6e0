import { ExchangeError } from '../exchange-error.ts';

/** The account's draft for requests that name none. */
export const defaultDraft = '';

/**
 * The value of the Waybill-Draft header: each worker that shares an account names its own draft, so that what they send
 * never mixes.
 */
export function draftName(header: string | undefined): string {
  if (header === undefined) return defaultDraft;
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(header)) {
    throw new ExchangeError('malformed_request', 'Waybill-Draft takes 1 to 64 of the characters A–Z a–z 0–9 - and _.');
  }
  return header;
}
