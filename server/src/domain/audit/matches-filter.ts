import type { AuditFilter, FullAuditEntry } from './audit-store.ts';

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
