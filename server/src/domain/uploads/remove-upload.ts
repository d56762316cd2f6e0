import type { Actor } from '../actor.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { uploadDraft } from './account-upload.ts';

/** Removes an account's upload, whatever its state, unless it was sent. */
export async function removeUpload(
  engines: Pick<Engines, 'store' | 'random'>,
  actor: Actor,
  id: string,
): Promise<void> {
  const { accountId } = actor;
  const draft = uploadDraft(actor, id);
  await engines.store.transaction(async (tx) => {
    if (!(await tx.uploads.remove(accountId, draft, id))) throw new ExchangeError('not_found');
    await record(engines, tx, {
      accountId,
      author: actor.author,
      action: 'file.removed',
      details: { draft, fileId: id },
    });
  });
}
