import type { Actor } from '../actor.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { dropEvents } from '../events/drop-events.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Store } from '../store.ts';
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
    const receiver = await revokeLink(tx, actor, sent, position);
    await record(engines, tx, {
      accountId,
      author: actor.author,
      action: 'link.revoked',
      addresses: [receiver],
      details: { dropId, position },
    });
  });
}

/** Ends the link of one receiver, and returns their address. The caller records why. */
export async function revokeLink(
  tx: Store,
  { accountId, author }: Actor,
  sent: SentId,
  position: number,
): Promise<string> {
  const { dropId } = sent;
  const receiver = await tx.sentDrops.revokeLink(accountId, dropId, position);
  if (receiver === undefined) {
    throw new ExchangeError('not_found', 'There is no such receiver, or their link was revoked already.');
  }
  await tx.evidence.append([{ accountId, dropId, position, kind: 'link.revoked', data: { by: author.name } }]);
  await tx.events.append(dropEvents({ accountId, ...sent }, 'receiver_revoked', { receiver }));
  return receiver;
}
