import { recordDelivery } from '../links/record-delivery.ts';
import type { Actor, Engines, InboxFile } from '../ports/index.ts';

/** A receiver that is an account here and fetched a file by the API has it as much as by its link. */
export async function recordInboxDelivery(
  engines: Pick<Engines, 'store' | 'random'>,
  actor: Actor,
  file: InboxFile,
  sent: { start: number; end: number },
): Promise<void> {
  const link = await engines.store.links.ofReceiver(file.accountId, file.dropId, actor.email);
  if (link) await recordDelivery(engines, link, file, sent);
}
