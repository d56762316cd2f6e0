import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Policy } from '../policy.ts';
import type { LimitState } from '../ports/limits.ts';
import type { Store } from '../store.ts';
import type { Usage } from './quota-store.ts';
import { readPolicy } from './read-policy.ts';

/**
 * Counts a dispatch against what the account may send in a day. The last statement of its transaction, because other
 * dispatches of the account wait from here on.
 */
export async function countDispatch(
  tx: Pick<Store, 'quotas'>,
  policy: Pick<Policy, 'dropsPerDay' | 'mailsPerDay'>,
  accountId: string,
  dispatch: { readonly drops: 0 | 1; readonly mails: number },
): Promise<void> {
  const { secondsLeft: retryAfterSeconds, ...counted } = await tx.quotas.countDispatch(accountId, dispatch);
  const excess = findExcess(policy, counted, dispatch);
  if (excess !== undefined) throw new ExchangeError('daily_limit', excess, { retryAfterSeconds });
}

/** Which limit of a day is exceeded by these counts, to which the dispatch has contributed; undefined: none. */
export function findExcess(
  policy: Pick<Policy, 'dropsPerDay' | 'mailsPerDay'>,
  counted: Pick<Usage, 'dropsToday' | 'mailsToday'>,
  dispatch: { readonly drops: number; readonly mails: number },
): string | undefined {
  const inWords = (what: string, limit: number) =>
    `The account’s ${what} a day are limited to ${limit}, and this would be more. Wait until midnight (UTC), or ask the administrator for more.`;
  if (dispatch.drops > 0 && policy.dropsPerDay !== null && counted.dropsToday > policy.dropsPerDay) {
    return inWords('drops and requests', policy.dropsPerDay);
  }
  if (dispatch.mails > 0 && policy.mailsPerDay !== null && counted.mailsToday > policy.mailsPerDay) {
    return inWords('mails', policy.mailsPerDay);
  }
  return undefined;
}

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
