import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';

/** Neither an account nor a contact at its desk can use us to flood a recipient with mail. */
export async function requireWithinLimits(
  engines: Pick<Engines, 'messageLimit'>,
  sender: string,
  recipients: readonly string[],
): Promise<void> {
  const retryAfterSeconds = await engines.messageLimit.acquire(sender, recipients);
  if (retryAfterSeconds > 0) throw new ExchangeError('too_many_messages', undefined, { retryAfterSeconds });
}
