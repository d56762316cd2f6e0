import type { Actor } from '../actor.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import type { Delivery, Link } from '../links/link-store.ts';
import { recordDelivery } from '../links/record-delivery.ts';

/**
 * Files that a receiver with an account here fetches through the API or the app count as delivered, as through the
 * link. Nobody is told that files from a contact were fetched, but the account sees which.
 */
export async function recordInboxDelivery(
  engines: Pick<Engines, 'store' | 'random'>,
  actor: Actor,
  { accountId, dropId }: Pick<Link, 'accountId' | 'dropId'>,
  deliveries: readonly Delivery[],
): Promise<void> {
  // Repeated as a whole if the database was away.
  await engines.store.transaction((store) => recordIn({ ...engines, store }, actor, { accountId, dropId }, deliveries));
}

async function recordIn(
  engines: Pick<Engines, 'store' | 'random'>,
  actor: Actor,
  { accountId, dropId }: Pick<Link, 'accountId' | 'dropId'>,
  deliveries: readonly Delivery[],
): Promise<void> {
  const { store } = engines;
  const link = await store.links.ofReceiver(accountId, dropId, actor.email);
  if (link) await recordDelivery(engines, link, deliveries, 'inbox');
  else if (accountId === actor.accountId) await store.inbox.recordDownloads(accountId, deliveries);
  // Several people share an account, so it is recorded who of them has the files; a resumed download is recorded once.
  const files = deliveries.filter(({ sent }) => sent.start === 0).length;
  if (actor.author.kind !== 'person' || files === 0) return;
  await record(engines, store, {
    accountId: actor.accountId,
    author: actor.author,
    action: 'inbox.downloaded',
    details: { dropId, files },
  });
}
