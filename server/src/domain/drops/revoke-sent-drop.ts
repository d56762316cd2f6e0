import { record } from '../audit/record.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Actor, Engines } from '../ports/index.ts';
import { revokeDrop } from './revoke-drop.ts';
import { lockLive } from './write-to-receivers.ts';

/** Ends a drop of the account, or the link of one receiver, at once. The other receivers keep theirs. */
export async function revokeSentDrop(
  engines: Pick<Engines, 'store' | 'random'>,
  actor: Actor,
  dropId: string,
  { position, ifVersion }: { position: number | undefined; ifVersion: readonly string[] | undefined },
): Promise<void> {
  const { accountId, email } = actor;
  await engines.store.transaction(async (tx) => {
    await lockLive(tx, actor, dropId, ifVersion);
    if (position === undefined) return revokeDrop({ ...engines, store: tx }, { id: accountId, email }, dropId, email);
    const receiver = await tx.sentDrops.withdrawLink(accountId, dropId, position);
    if (receiver === undefined) {
      throw new ExchangeError('not_found', 'The drop has no such receiver, or their link was withdrawn already.');
    }
    await record(engines, tx, { accountId, actor: email, action: 'link.withdrawn', details: { dropId, position } });
    await tx.events.append([{ accountId, type: 'drop.receiver_revoked', data: { drop_id: dropId, receiver } }]);
  });
}
