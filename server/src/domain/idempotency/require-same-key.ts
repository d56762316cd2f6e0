import type { Actor } from '../actor.ts';
import { ExchangeError } from '../exchange-error.ts';

/**
 * The caller's key is part of what makes a request the same. If it is not known which key sent the first one, because
 * the version before did not record it, only a key that may do everything gets the response.
 */
export function requireSameKey({ key }: Actor, firstKeyId: string | null): void {
  if (firstKeyId === null ? key.scopes === null : firstKeyId === key.id) return;
  throw new ExchangeError(
    'idempotency_key_reused',
    'This Idempotency-Key was used with another API key. Use the same API key, or a new Idempotency-Key.',
  );
}
