import type { Actor } from '../actor.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { dropEvents } from '../events/drop-events.ts';
import { ExchangeError } from '../exchange-error.ts';
import { dropEnded } from '../outbox/obsolete-message.ts';
import type { SentId } from './sent-drop-store.ts';

/** How long a person can undo a revocation: long enough to notice a mistake, too short to rely on. */
export const undoSeconds = 10 * 60;

/** Undoes the revocation of a drop or a request: its links work again, and the mails that it stopped are sent. */
export async function restoreDrop(
  engines: Pick<Engines, 'store' | 'random'>,
  actor: Actor,
  sent: SentId,
): Promise<void> {
  const { accountId, author } = actor;
  const { dropId } = sent;
  await engines.store.transaction(async (tx) => {
    if (!(await tx.sentDrops.find(accountId, sent))) throw new ExchangeError('not_found');
    if (!(await tx.drops.restore(accountId, sent))) {
      throw new ExchangeError('link_ended', 'It can no longer be restored. Make a new one instead.');
    }
    await tx.outbox.reviveOfDrop(accountId, dropId, dropEnded);
    await record(engines, tx, { accountId, author, action: 'drop.restored', details: { dropId } });
    await tx.evidence.append([{ accountId, dropId, kind: 'drop.restored', data: { by: author.name } }]);
    await tx.events.append(dropEvents({ accountId, ...sent }, 'restored'));
  });
}
