import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';

/** Neither an account nor a contact can use this server to flood a receiver with mail. */
export async function requireWithinLimits(
  engines: Pick<Engines, 'messageLimit'>,
  sender: string,
  receivers: readonly string[],
): Promise<void> {
  const retryAfterSeconds = await engines.messageLimit.acquire(sender, receivers);
  if (retryAfterSeconds > 0) throw new ExchangeError('too_many_messages', undefined, { retryAfterSeconds });
}
