import { toReference } from '../reference.ts';
import type { AuditFilter, AuditPosition, FullAuditEntry } from './audit-store.ts';

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

/** Whether a search would find the entry. */
export function matchesFilter(entry: FullAuditEntry, filter: AuditFilter): boolean {
  const { accountId, authorIds, dropIdEnd, networkAddress, mailAddress, actions, since, until } = filter;
  const dropId = readDropId(entry);
  return (
    (accountId === undefined || entry.accountId === accountId) &&
    (authorIds === undefined || authorIds.includes(entry.author.id)) &&
    (dropIdEnd === undefined || (dropId?.endsWith(dropIdEnd) ?? false)) &&
    (networkAddress === undefined || entry.author.address === networkAddress) &&
    (mailAddress === undefined || entry.addresses.includes(mailAddress)) &&
    (actions === undefined || actions.some((action) => action === entry.action)) &&
    (since === undefined || entry.at >= since) &&
    (until === undefined || entry.at < until)
  );
}

/** The drop or request that the change is about, if any. */
export function readDropId({ details }: Pick<FullAuditEntry, 'details'>): string | undefined {
  return typeof details['dropId'] === 'string' ? details['dropId'] : undefined;
}
