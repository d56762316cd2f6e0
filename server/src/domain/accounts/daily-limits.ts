import type { Engines } from '../engines.ts';
import type { LimitState } from '../ports/limits.ts';
import { readPolicy } from './read-policy.ts';

const daySeconds = 24 * 60 * 60;

/** The remainder of each daily limit that the account has. */
export async function dailyLimits(
  engines: Pick<Engines, 'store' | 'policy'>,
  accountId: string,
): Promise<LimitState[]> {
  const { dropsPerDay, mailsPerDay } = await readPolicy(engines, accountId);
  if (dropsPerDay === null && mailsPerDay === null) return [];
  const { dropsToday, mailsToday } = await engines.store.quotas.usage(accountId);
  const resetSeconds = secondsToMidnight();
  const describeState = (name: string, quota: number | null, used: number) =>
    quota === null
      ? []
      : [{ name, quota, windowSeconds: daySeconds, remaining: Math.max(0, quota - used), resetSeconds }];
  return [...describeState('drops', dropsPerDay, dropsToday), ...describeState('mails', mailsPerDay, mailsToday)];
}

/** In UTC. */
export function secondsToMidnight(): number {
  return Math.ceil(daySeconds - ((Date.now() / 1000) % daySeconds));
}
