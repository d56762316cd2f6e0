import type { Engines } from '../engines.ts';
import type { Desttimes, Policy } from '../policy.ts';
import type { Quotas } from './quota-store.ts';

/** What applies to an account: its own value, or else that of its group, or else the server's setting. */
export async function policyOf(
  { store, policy }: Pick<Engines, 'store' | 'policy'>,
  accountId: string,
): Promise<Policy> {
  const quotas = await store.quotas.of(accountId);
  const maxStoredBytes = quotas.maxStoredBytes ?? policy.maxStoredBytes;
  // A limit cannot be enforced on a usage that is not known, and the sweep may not have come to this account yet.
  if (maxStoredBytes !== null && !quotas.isCounted) await store.transaction((tx) => tx.quotas.recount(accountId));
  return {
    ...policy,
    maxStoredBytes,
    // The server refuses a larger body before it knows whose it is.
    maxFileBytes: Math.min(quotas.maxFileBytes ?? policy.maxFileBytes, policy.maxFileBytes),
    dropsPerDay: quotas.dropsPerDay ?? policy.dropsPerDay,
    mailsPerDay: quotas.mailsPerDay ?? policy.mailsPerDay,
    recipientDomains: quotas.recipientDomains ?? policy.recipientDomains,
    secondFactor: quotas.secondFactor ?? policy.secondFactor,
    desttime: desttimesOf(quotas, policy.desttime),
  };
}

/** A list takes precedence over a range. The default is the server's, or else the nearest value that is allowed. */
function desttimesOf(quotas: Quotas, server: Desttimes): Desttimes {
  const only = quotas.desttimes ?? server.only;
  const min = only ? Math.min(...only) : (quotas.minDesttime ?? server.min);
  const max = only ? Math.max(...only) : (quotas.maxDesttime ?? server.max);
  const distance = (ttl: number) => Math.abs(ttl - server.default);
  const [nearest = server.default] = (only ?? [Math.max(min, Math.min(server.default, max))]).toSorted(
    (one, other) => distance(one) - distance(other),
  );
  return { ...server, only, min, max, default: nearest };
}

export function isAllowed({ min, max, only }: Desttimes, ttl: number): boolean {
  return only ? only.includes(ttl) : ttl >= min && ttl <= max;
}

export function allowedInWords({ min, max, only }: Desttimes): string {
  return only ? `one of ${only.join(', ')}` : `a whole number from ${min} to ${max}`;
}
