import type { Engines } from '../engines.ts';
import { chooseStrictest } from '../links/shared-link-rule.ts';
import type { AccountPolicy, LifetimeRule } from '../policy.ts';
import type { Quotas } from './quota-store.ts';

/** Returns the limits of an account: its own value, then that of its group, then the server's setting. */
export async function readPolicy(
  { store, policy }: Pick<Engines, 'store' | 'policy'>,
  accountId: string,
): Promise<AccountPolicy> {
  const quotas = await store.quotas.of(accountId);
  return {
    ...policy,
    isTest: quotas.isTest,
    maxStoredBytes: quotas.maxStoredBytes ?? policy.maxStoredBytes,
    // The server refuses a larger body before it knows whose it is.
    maxFileBytes: Math.min(quotas.maxFileBytes ?? policy.maxFileBytes, policy.maxFileBytes),
    dropsPerDay: quotas.dropsPerDay ?? policy.dropsPerDay,
    mailsPerDay: quotas.mailsPerDay ?? policy.mailsPerDay,
    receiverDomains: quotas.receiverDomains ?? policy.receiverDomains,
    secondFactor: quotas.secondFactor ?? policy.secondFactor,
    sharedLinks: chooseStrictest(policy.sharedLinks, quotas.sharedLinks),
    acceptsEncrypted: quotas.acceptsEncrypted ?? policy.acceptsEncrypted,
    lifetime: mergeLifetimes(quotas, policy.lifetime),
  };
}

/**
 * A list takes precedence over a range. The default is the server's, or else the nearest value that is allowed. A test account
 * has short lifetimes although the server demands longer ones.
 */
function mergeLifetimes(quotas: Quotas & { readonly isTest: boolean }, server: LifetimeRule): LifetimeRule {
  const only = quotas.lifetimes ?? (quotas.isTest ? null : server.only);
  const least = quotas.isTest ? Math.min(server.min, quotas.maxLifetime ?? server.max) : server.min;
  const min = only ? Math.min(...only) : (quotas.minLifetime ?? least);
  const max = only ? Math.max(...only) : (quotas.maxLifetime ?? server.max);
  const distance = (lifetime: number) => Math.abs(lifetime - server.default);
  const [nearest = server.default] = (only ?? [Math.max(min, Math.min(server.default, max))]).toSorted(
    (one, other) => distance(one) - distance(other),
  );
  return { ...server, only, min, max, default: nearest };
}

export function isAllowedLifetime({ min, max, only }: LifetimeRule, lifetime: number): boolean {
  return only ? only.includes(lifetime) : lifetime >= min && lifetime <= max;
}

export function describeLifetimes({ min, max, only }: LifetimeRule): string {
  return only ? `one of ${only.join(', ')}` : `a whole number from ${min} to ${max}`;
}
