import { limits } from '@waybill/protocol';
import { ExchangeError } from '../exchange-error.ts';
import type { Engines, Link } from '../ports/index.ts';
import { type AnnouncedFile, beginUpload } from '../uploads/begin-upload.ts';
import { deskOf, deskOwner } from './desk.ts';

/** A contact announces a file whose bytes will follow, in as many requests as it takes. */
export async function announceFile(
  engines: Pick<Engines, 'store' | 'keys' | 'random' | 'policy' | 'scanner'>,
  link: Link,
  announced: AnnouncedFile & { readonly sizeBytes: number },
): Promise<void> {
  const { policy } = engines;
  const { accountId } = link;
  const desk = deskOf(link);
  if (policy.scan === 'required' && announced.sizeBytes > engines.scanner.maxBytes) {
    throw new ExchangeError('too_large_to_scan');
  }
  const lease = { leaseSeconds: policy.resumeSeconds, claimedObjects: 0 };
  await beginUpload(engines, deskOwner(link), announced, lease, async (tx, name) => {
    await tx.drafts.lock(accountId, desk);
    const files = await tx.uploads.desk(accountId, desk);
    // Announced before, and nothing came: most likely its answer was lost, and it would stand in the way of sending.
    const lost = files.filter((file) => file.name === name && file.state === 'uploading' && file.receivedBytes === 0);
    for (const file of lost) await tx.uploads.remove(accountId, desk, file.id);
    if (files.length - lost.length >= limits.filesPerDraft) throw new ExchangeError('too_many_files');
    if (announced.sizeBytes > (await bytesLeftFor({ store: tx, policy }, link))) {
      throw new ExchangeError('too_large', 'This link has taken as many bytes as it may.');
    }
  });
}

/** How many bytes may still be sent through a link. */
export async function bytesLeftFor({ store, policy }: Pick<Engines, 'store' | 'policy'>, link: Link): Promise<number> {
  return Math.max(0, policy.grantMaxBytes - (await store.uploads.bytesThrough(link, deskOf(link))));
}
