import type { Actor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import type { Delivery, Link } from '../links/link-store.ts';
import { recordDelivery } from '../links/record-delivery.ts';

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
