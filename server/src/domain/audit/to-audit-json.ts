import type { FullAuditEntry } from './audit-store.ts';

/** An audit entry as the text of a syslog message contains it. */
export function toAuditJson({ id, at, accountId, account, author, action, ...rest }: FullAuditEntry) {
  const { addresses, details, before, after } = rest;
  return {
    id,
    at: at.toISOString(),
    account_id: accountId,
    account,
    author: { kind: author.kind, id: author.id, name: author.name, address: author.address },
    action,
    addresses,
    details,
    before,
    after,
  };
}
