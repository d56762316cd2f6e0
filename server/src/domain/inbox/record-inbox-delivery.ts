import type { Actor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import type { Delivery, Link } from '../links/link-store.ts';
import { recordDelivery } from '../links/record-delivery.ts';

/**
 * Files that a receiver with an account here fetches through the API count as delivered, as through the link.
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
