import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';

/** A whole account at once, and then as many a day. */
const rule = { free: 200, firstDelaySeconds: 432, maxDelaySeconds: 432, decaySeconds: 432 };

/** Counts an invitation by an owner: each may create a person with an account, and mails someone who did not ask for it. */
export async function limitInvitations(
  { attemptLimit }: Pick<Engines, 'attemptLimit'>,
  accountId: string,
): Promise<void> {
  const retryAfterSeconds = await attemptLimit.acquire([{ key: `invitations:${accountId}`, rule }]);
  if (retryAfterSeconds > 0) throw new ExchangeError('too_many_requests', undefined, { retryAfterSeconds });
}
