import type { Actor } from '../actor.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { findEntry } from '../inbox/find-entry.ts';
import { query } from '../query.ts';

type Needs = Pick<Engines, 'store' | 'random'>;

/** Blocks the sender of an entry that nobody asked for. They are not told; links that they still have stop working. */
export async function blockSender(engines: Needs, actor: Actor, entryId: string): Promise<void> {
  const { accountId, author } = actor;
  const { isUnsolicited, sender: email } = await findEntry(engines, actor, entryId);
  if (!isUnsolicited) throw new ExchangeError('not_found');
  await engines.store.transaction(async (tx) => {
    if (!(await tx.publicPages.block(accountId, email))) return;
    await tx.publicPages.revokeLinks(accountId, email);
    await record(engines, tx, { accountId, author, action: 'sender.blocked', addresses: [email] });
  });
}

export async function unblockSender(engines: Needs, { accountId, author }: Actor, email: string): Promise<void> {
  await engines.store.transaction(async (tx) => {
    if (!(await tx.publicPages.unblock(accountId, email))) return;
    await record(engines, tx, { accountId, author, action: 'sender.unblocked', addresses: [email] });
  });
}

export const listBlockedSenders = query((store) => store.publicPages.blocked);
