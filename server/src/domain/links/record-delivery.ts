import type { Engines, Link } from '../ports/index.ts';

/** Bytes of a file have left for a receiver. When they have everything, the sender is told, unless it does not want it. */
export async function recordDelivery(
  engines: Pick<Engines, 'store' | 'random'>,
  link: Link,
  file: { id: string; sizeBytes: number },
  sent: { start: number; end: number },
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    if (!(await tx.links.deliver(link, file, sent))) return;
    const account = await tx.accounts.byId(link.accountId);
    if (!account?.receipts) return;
    await tx.outbox.enqueue(link.accountId, {
      id: engines.random.uuid(),
      kind: 'receipt',
      channel: 'mail',
      dropId: link.dropId,
      position: link.position,
      recipient: account.email,
    });
  });
}
