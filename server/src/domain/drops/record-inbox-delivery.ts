import { recordDelivery } from '../links/record-delivery.ts';
import type { Actor, Delivery, Engines, Link } from '../ports/index.ts';

/**
 * What a receiver with an account here fetched through the API counts as delivered, just as through its link.
 */
export async function recordInboxDelivery(
  engines: Pick<Engines, 'store' | 'random'>,
  actor: Actor,
  { accountId, dropId }: Pick<Link, 'accountId' | 'dropId'>,
  deliveries: readonly Delivery[],
): Promise<void> {
  const link = await engines.store.links.ofReceiver(accountId, dropId, actor.email);
  if (link) await recordDelivery(engines, link, deliveries);
}
