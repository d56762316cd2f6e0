import type { Actor } from '../actor.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { SealedFile } from '../files/file-store.ts';
import { isUuid } from '../is-uuid.ts';
import type { Delivery } from '../links/link-store.ts';
import { requireScanned } from '../require-scanned.ts';

/**
 * Finds the files of a live drop that the account sent, or the one with this id, for the account itself to download. A drop
 * that has ended has none.
 */
export async function findOwnFiles(
  engines: Pick<Engines, 'store' | 'policy'>,
  { accountId }: Pick<Actor, 'accountId'>,
  dropId: string,
  fileId?: string,
): Promise<SealedFile[]> {
  const all = [dropId, ...(fileId === undefined ? [] : [fileId])].every(isUuid)
    ? await engines.store.files.ofSentDrop(accountId, dropId, fileId)
    : [];
  if (all.length === 0)
    throw new ExchangeError(
      'not_found',
      'There is no such file, or its drop has ended. Check the drop’s list of files.',
    );
  await requireScanned(engines, accountId, all);
  return all;
}

/**
 * Records that the sender has downloaded files. It is no delivery: nobody to whom they were sent has them because of it. A
 * resumed download is recorded once.
 */
export async function recordOwnDownload(
  engines: Pick<Engines, 'store' | 'random'>,
  { accountId, author }: Actor,
  dropId: string,
  deliveries: readonly Pick<Delivery, 'sent'>[],
): Promise<void> {
  const files = deliveries.filter(({ sent }) => sent.start === 0).length;
  if (files === 0) return;
  await record(engines, engines.store, { accountId, author, action: 'drop.downloaded', details: { dropId, files } });
}
