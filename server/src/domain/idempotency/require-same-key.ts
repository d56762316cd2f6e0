import type { Actor } from '../actor.ts';
import { ExchangeError } from '../exchange-error.ts';

/** The caller's key is part of what makes a request the same. */
export function requireSameKey({ key }: Actor, firstKeyId: string): void {
  if (firstKeyId === key.id) return;
  throw new ExchangeError(
    'idempotency_key_reused',
    'This Idempotency-Key was used with another API key. Use the same API key, or a new Idempotency-Key.',
  );
}
