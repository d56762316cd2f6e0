import type { Engines } from '../engines.ts';
import { toReceiverData } from '../events/drop-events.ts';
import type { NewEvent } from '../events/event-store.ts';
import type { Completed, Delivery, Link } from './link-store.ts';

/**
 * Records what was sent to a receiver. When the receiver has everything, the sender is told, unless it opted out.
 */
export async function recordDelivery(
  engines: Pick<Engines, 'store'>,
  link: Link,
  deliveries: readonly Delivery[],
  via: 'link' | 'inbox' = 'link',
): Promise<void> {
  const { accountId, dropId, position } = link;
  await engines.store.transaction(async (tx) => {
    const completed = await tx.links.deliver(link, deliveries);
    await tx.evidence.append(
      completed.files.map(({ evidence: file }) => {
        return { accountId, dropId, position, kind: 'content.handed_over', data: { file, via } };
      }),
    );
    await tx.events.append(makeEvents(link, completed));
    if (!completed.link) return;
    const account = await tx.accounts.byId(accountId);
    if (!account?.receipts) return;
    await tx.outbox.tell(accountId, { kind: 'receipt', dropId, position });
  });
}

/** Records that a message was delivered: when it is shown, because there is nothing else to come for. */
export async function recordMessage(
  engines: Pick<Engines, 'store'>,
  link: Link,
  files: readonly unknown[],
): Promise<void> {
  if (files.length === 0 && !link.completedAt) await recordDelivery(engines, link, []);
}

function makeEvents(link: Link, completed: Completed): NewEvent[] {
  const { accountId, dropId } = link;
  const about = { drop_id: dropId };
  const receiver = toReceiverData(link);
  return [
    ...completed.files.map(({ id, name }): NewEvent => {
      return { accountId, type: 'drop.file_delivered', data: { ...about, ...receiver, file_id: id, file_name: name } };
    }),
    ...(completed.link
      ? [{ accountId, type: 'drop.receiver_completed', data: { ...about, ...receiver } } as const]
      : []),
    ...(completed.drop ? [{ accountId, type: 'drop.completed', data: about } as const] : []),
  ];
}
