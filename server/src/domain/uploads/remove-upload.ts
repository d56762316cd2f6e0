import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { UploadOwner } from './owner.ts';

/** Removes an upload, whatever its state, unless it was sent. */
export async function removeUpload(
  engines: Pick<Engines, 'store' | 'random'>,
  { accountId, draft, author }: Pick<UploadOwner, 'accountId' | 'draft' | 'author'>,
  id: string,
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    if (!(await tx.uploads.remove(accountId, draft, id))) throw new ExchangeError('not_found');
    await record(engines, tx, { accountId, author, action: 'file.removed', details: { draft, fileId: id } });
  });
}
