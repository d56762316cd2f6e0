import { ExchangeError } from '../../../domain/exchange-error.ts';
import { isUuid } from '../../../domain/is-uuid.ts';

/** Returns the id in a form or a path; one that is none belongs to nothing. */
export function requireUuid(text: string | null): string {
  if (text === null || !isUuid(text)) throw new ExchangeError('not_found');
  return text;
}
