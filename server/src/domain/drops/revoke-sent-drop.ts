import type { Actor } from '../actor.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { dropEvents } from '../events/drop-events.ts';
import { ExchangeError } from '../exchange-error.ts';
import { revokeDrop } from './revoke-drop.ts';
import type { SentId } from './sent-drop-store.ts';
import { lockLive } from './write-to-receivers.ts';

export interface RevocationChoices {
  readonly position?: number | undefined;
  readonly ifVersion?: readonly string[] | undefined;
  readonly undoSeconds?: number | undefined;
}

/**
 * Ends a drop or a request of the account, or the link of one receiver, at once. The other receivers keep theirs. With
 * `undoSeconds`, the end of a drop or a request can be undone for that long.
 */
export async function revokeSentDrop(
  engines: Pick<Engines, 'store' | 'random'>,
  actor: Actor,
  sent: SentId,
  { position, ifVersion, undoSeconds }: RevocationChoices,
): Promise<void> {
  const { accountId, email } = actor;
  const { dropId } = sent;
  await engines.store.transaction(async (tx) => {
    await lockLive(tx, actor, sent, ifVersion);
    if (position === undefined)
      return revokeDrop({ ...engines, store: tx }, { id: accountId, email }, dropId, actor.author, undoSeconds);
    const receiver = await tx.sentDrops.revokeLink(accountId, dropId, position);
    if (receiver === undefined) {
      throw new ExchangeError('not_found', 'There is no such receiver, or their link was revoked already.');
    }
    await record(engines, tx, {
      accountId,
      author: actor.author,
      action: 'link.revoked',
      details: { dropId, position },
    });
    await tx.evidence.append([{ accountId, dropId, position, kind: 'link.revoked', data: { by: actor.author.name } }]);
    await tx.events.append(dropEvents({ accountId, ...sent }, 'receiver_revoked', { receiver }));
  });
}
