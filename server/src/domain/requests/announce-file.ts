import { limits } from '@waybill/protocol';
import { readPolicy } from '../accounts/read-policy.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { requireUnused } from '../links/find-link.ts';
import type { Link } from '../links/link-store.ts';
import type { Store } from '../store.ts';
import { type AnnouncedFile, beginUpload, claimForLater } from '../uploads/begin-upload.ts';
import { contactDraftName, contactDraftOwner } from '../uploads/contact-draft.ts';
import { type FileSizeLimit, findFileSizeLimit, requireFileSize, smallest } from '../uploads/find-file-size-limit.ts';

/** A contact announces a file whose bytes will follow in one or more requests. */
export async function announceFile(
  engines: Pick<Engines, 'store' | 'dayKeys' | 'random' | 'policy' | 'scanner'>,
  link: Link,
  announced: AnnouncedFile & { readonly sizeBytes: number },
): Promise<void> {
  const { accountId } = link;
  const policy = await readPolicy(engines, accountId);
  const draft = contactDraftName(link);
  requireFileSize({ ...engines, policy }, announced.sizeBytes);
  const claim = claimForLater(policy, 0);
  const within = (begin: (tx: Store) => Promise<void>, path: string) =>
    engines.store.transaction(async (tx) => {
      await tx.drafts.lock(accountId, draft);
      requireUnused(await tx.links.holdLive(link));
      const files = await tx.uploads.listDraftFiles(accountId, draft);
      // It was announced before, but no bytes came: its response was probably lost, and the upload would block sending.
      const lost = files.filter((file) => file.path === path && file.state === 'uploading' && file.receivedBytes === 0);
      for (const file of lost) await tx.uploads.remove(accountId, draft, file.id);
      if (files.length - lost.length >= limits.filesPerDraft) throw new ExchangeError('too_many_files');
      const bytesLeft = await bytesLeftFor({ store: tx, policy }, link);
      if (announced.sizeBytes > bytesLeft) {
        throw new ExchangeError(
          'too_large',
          'This link has taken as many bytes as it may. Send a smaller file, or ask the sender of the link for another one.',
          { maxBytes: bytesLeft },
        );
      }
      await requireRoom({ store: tx, policy }, accountId, announced.sizeBytes);
      await begin(tx);
    });
  await beginUpload({ ...engines, policy }, contactDraftOwner(link), announced, claim, within);
}

/** Checked before the first byte, because bytes are reserved only as they arrive and would be refused hours later. */
async function requireRoom(
  { store, policy: { maxStoredBytes } }: Pick<Engines, 'store' | 'policy'>,
  accountId: string,
  sizeBytes: number,
): Promise<void> {
  if (maxStoredBytes === null) return;
  const { storedBytes } = await store.quotas.usage(accountId);
  if ((storedBytes ?? 0) + sizeBytes > maxStoredBytes) throw new ExchangeError('storage_full');
}

/** How many bytes may still be sent through a link. */
export async function bytesLeftFor({ store, policy }: Pick<Engines, 'store' | 'policy'>, link: Link): Promise<number> {
  const { requestMaxBytes, publicPage } = policy;
  const maxBytes = link.isUnsolicited ? Math.min(requestMaxBytes, publicPage.maxBytes) : requestMaxBytes;
  return Math.max(0, maxBytes - (await store.uploads.bytesThrough(link, contactDraftName(link))));
}

/** Returns the size of the largest file that a contact can send through a link now. */
export async function findLinkFileSizeLimit(
  engines: Pick<Engines, 'store' | 'policy' | 'scanner'>,
  link: Link,
): Promise<FileSizeLimit> {
  const { accountId } = link;
  const policy = await readPolicy(engines, accountId);
  const [bytesLeft, { storedBytes }] = await Promise.all([
    bytesLeftFor({ ...engines, policy }, link),
    engines.store.quotas.usage(accountId),
  ]);
  return smallest<FileSizeLimit['reason']>(
    findFileSizeLimit({ ...engines, policy }),
    { bytes: bytesLeft, reason: 'link' },
    { bytes: bytesToStore(policy.maxStoredBytes, storedBytes), reason: 'storage' },
  );
}

function bytesToStore(maxStoredBytes: number | null, storedBytes: number): number {
  return maxStoredBytes === null ? Number.POSITIVE_INFINITY : Math.max(0, maxStoredBytes - storedBytes);
}
