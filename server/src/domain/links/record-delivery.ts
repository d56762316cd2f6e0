import type { Engines } from '../engines.ts';
import { dropEvents, toReceiverData } from '../events/drop-events.ts';
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
  if (link.kind !== 'receiver') return recordVisit(engines, link, deliveries);
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

/**
 * Records what was sent to somebody with a shared link, of whom nothing else is known. A visit is counted with its first
 * file, and what is complete is recorded once, however many visits get it.
 */
async function recordVisit(
  engines: Pick<Engines, 'store'>,
  link: Link,
  deliveries: readonly Delivery[],
): Promise<void> {
  const { accountId, dropId, position } = link;
  if (link.session === null) throw new TypeError('a shared link is used in a session only');
  const { session } = link;
  await engines.store.transaction(async (tx) => {
    const completed = await tx.sharedLinks.deliver(link, session, deliveries);
    const { downloads } = completed;
    await tx.evidence.append([
      ...completed.files.map(({ evidence: file }) => {
        return { accountId, dropId, position, kind: 'content.handed_over', data: { file, via: 'link' } } as const;
      }),
      ...(downloads === null
        ? []
        : [{ accountId, dropId, position, kind: 'link.downloaded', data: { downloads } } as const]),
    ]);
    // A drop without receivers is complete with its link.
    const isWhole = completed.link && !(await tx.sentDrops.hasReceivers(accountId, dropId));
    await tx.events.append([
      ...(isWhole
        ? [{ accountId, type: 'drop.completed', data: { drop_id: dropId }, about: { accountId, dropId } } as const]
        : []),
      ...(downloads === null ? [] : dropEvents(link, 'link_downloaded', { shared_link_id: position, downloads })),
    ]);
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
  const event = { accountId, about: { accountId, dropId } };
  const drop = { drop_id: dropId };
  const receiver = toReceiverData(link);
  return [
    ...completed.files.map(({ id, name }): NewEvent => {
      return { ...event, type: 'drop.file_delivered', data: { ...drop, ...receiver, file_id: id, file_name: name } };
    }),
    ...(completed.link ? [{ ...event, type: 'drop.receiver_completed', data: { ...drop, ...receiver } } as const] : []),
    ...(completed.drop ? [{ ...event, type: 'drop.completed', data: drop } as const] : []),
  ];
}
