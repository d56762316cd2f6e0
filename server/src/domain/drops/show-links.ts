import { readPolicy } from '../accounts/read-policy.ts';
import type { Actor } from '../actor.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { linkToken } from '../links/link-token.ts';
import type { SentId } from './sent-drop-store.ts';
import { firstSharedPosition } from './write-shared-link.ts';
import { lockLive } from './write-to-receivers.ts';

type Needs = Pick<Engines, 'store' | 'dayKeys' | 'random' | 'policy'>;

/**
 * Whether the rules of an account allow its members to see the links of receivers. One that may send only to certain
 * domains does not, because a link can be passed on to any address.
 */
export async function maySeeLinks(engines: Pick<Needs, 'store' | 'policy'>, accountId: string): Promise<boolean> {
  const account = await engines.store.accounts.byId(accountId);
  if (!account?.showLinks) return false;
  return (await readPolicy(engines, accountId)).receiverDomains === null;
}

/**
 * The personal links of a drop or a request, by the positions of their receivers, or that of one receiver. They can be used
 * as the receivers can, so it is recorded who saw them.
 */
export async function showLinks(
  engines: Needs,
  actor: Actor,
  sent: SentId,
  position?: number,
): Promise<ReadonlyMap<number, string>> {
  const { accountId, author } = actor;
  const { type, dropId } = sent;
  if (!(await engines.store.sentDrops.find(accountId, sent))) throw new ExchangeError('not_found');
  // A shared link is its sender's own to pass on.
  const isShared = position !== undefined && position >= firstSharedPosition;
  if (!isShared && !(await maySeeLinks(engines, accountId))) {
    throw new ExchangeError('role_missing', 'The rules of this account do not allow its members to see links.');
  }
  const key = await engines.store.links.key({ accountId, dropId });
  const linkKey = key && (await engines.dayKeys.unwrap(key.wrapped, key.day, dropId));
  const positions = await engines.store.transaction(async (tx) => {
    await lockLive(tx, actor, sent, undefined);
    const shown = await tx.sentDrops.recordShown(accountId, dropId, author.name, position);
    if (shown.length === 0)
      throw new ExchangeError('not_found', 'There is no such receiver, or their link was revoked.');
    const details = { dropId, ...(position === undefined ? { receivers: shown.length } : { position }) };
    await record(engines, tx, { accountId, author, action: 'link.shown', details });
    const data = { by: author.name };
    await tx.evidence.append(
      shown
        .filter(({ isKnown }) => !isKnown)
        .map((receiver) => ({ accountId, dropId, position: receiver.position, kind: 'link.shown', data })),
    );
    return shown.map((receiver) => receiver.position);
  });
  if (!linkKey) throw new ExchangeError('link_ended');
  const page = type === 'downloadfiles' ? 'd' : 'u';
  return new Map(positions.map((at) => [at, `${engines.policy.publicUrl}/${page}/${linkToken(linkKey, at)}`]));
}
