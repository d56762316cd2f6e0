import { toReference } from '../reference.ts';
import type { AuditPosition, FullAuditEntry } from './audit-store.ts';
import { readDropId } from './matches-filter.ts';

export type AuditJson = ReturnType<typeof toAuditJson>;

/** An audit entry for programs, wherever it leaves the server. docs/audit.md describes every field. */
export function toAuditJson(entry: FullAuditEntry) {
  const { id, at, accountId, account, author, action, addresses, details, before, after, position, cursor } = entry;
  const dropId = readDropId(entry);
  return {
    id,
    at: at.toISOString(),
    account,
    account_id: accountId,
    actor: { kind: author.kind, id: author.id, name: author.name, address: author.address },
    action,
    reference: dropId === undefined ? null : toReference(dropId),
    addresses,
    details,
    before,
    after,
    position: formatPosition(position),
    cursor,
  };
}

export function formatPosition({ epoch, transactionId, sequence }: AuditPosition): string {
  return `${epoch}/${transactionId}/${sequence}`;
}
