import { limits as bounds } from '@waybill/protocol';
import { Account } from '@waybill/protocol/v1';
import type { Usage } from '../../../domain/accounts/quota-store.ts';
import { findAccountById, readUsage } from '../../../domain/accounts/read-accounts.ts';
import { readPolicy } from '../../../domain/accounts/read-policy.ts';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import type { Policy } from '../../../domain/policy.ts';
import { type FileSizeLimit, findFileSizeLimit } from '../../../domain/uploads/find-file-size-limit.ts';
import { route } from '../route.ts';

export const readAccount = route({
  method: 'GET',
  path: '/account',
  id: 'getAccount',
  summary: 'Get the account that the key belongs to, its limits, and what the key may do',
  scope: null,
  response: { status: 200, description: 'The account, its limits and the key.', schema: Account },
  errors: [],
  async handle({ engines, caller }) {
    const account = await findAccountById(engines, caller.accountId);
    if (!account) throw new ExchangeError('unauthorized');
    const { id, scopes, networks, expiresAt } = caller.key;
    const { email, displayName, phone, language, testOf } = account;
    const mode = testOf === null ? 'live' : 'test';
    const key = { id, scopes, networks, expires_at: expiresAt };
    const policy = await readPolicy(engines, caller.accountId);
    const usage = await readUsage(engines, caller.accountId);
    const allowed = {
      limits: toLimits(policy, findFileSizeLimit({ ...engines, policy })),
      usage: toUsage(usage, policy),
    };
    return { body: { email, mode, display_name: displayName, phone, language, key, ...allowed } };
  },
});

function toLimits(
  { lifetime, ...policy }: Policy,
  file: FileSizeLimit<Account['limits']['file_size_reason']>,
): Account['limits'] {
  const seconds = (units: number) => units * lifetime.unitSeconds;
  return {
    file_size: file.bytes,
    file_size_reason: file.reason,
    files_per_drop: bounds.filesPerDraft,
    receivers_per_drop: bounds.receiversPerDispatch,
    min_expires_in: seconds(lifetime.min),
    max_expires_in: seconds(lifetime.max),
    default_expires_in: seconds(lifetime.default),
    allowed_expires_in: lifetime.only?.map(seconds) ?? null,
    stored_size: policy.maxStoredBytes,
    drops_per_day: policy.dropsPerDay,
    mails_per_day: policy.mailsPerDay,
    receiver_domains: policy.receiverDomains && [...policy.receiverDomains],
  };
}

function toUsage({ storedBytes, dropsToday, mailsToday }: Usage, { maxStoredBytes }: Policy): Account['usage'] {
  return {
    stored_size: storedBytes,
    available_size: maxStoredBytes === null ? null : Math.max(0, maxStoredBytes - (storedBytes ?? 0)),
    drops_today: dropsToday,
    mails_today: mailsToday,
  };
}
