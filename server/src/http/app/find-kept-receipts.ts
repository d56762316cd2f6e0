import { findReceipts } from '../../domain/evidence/find-receipts.ts';
import { readIdEnd } from '../../domain/reference.ts';
import type { KeptReceipt } from '../../views/pages/app/kept-receipts.tsx';
import type { MemberVisit } from './app-route.ts';
import { sentTypes } from './sent-changes.ts';

/** As many as one can look through. */
const maxShown = 100;

/** Finds the receipts of something whose reference is searched for, and whose own rows are purged. */
export async function findKeptReceipts(
  { engines, actor: { accountId } }: MemberVisit,
  screen: keyof typeof sentTypes,
  query: string,
): Promise<readonly KeptReceipt[]> {
  if (readIdEnd(query) === undefined) return [];
  const found = await findReceipts(engines, { accountId, name: query }, maxShown);
  const type = sentTypes[screen];
  const kept = found.filter((receipt) => receipt.type === (screen === 'sent' ? 'drop' : 'request'));
  const isListed = new Map<string, boolean>();
  for (const dropId of new Set(kept.map((receipt) => receipt.dropId)))
    isListed.set(dropId, (await engines.store.sentDrops.find(accountId, { type, dropId })) !== undefined);
  return kept.filter(({ dropId }) => !isListed.get(dropId));
}
