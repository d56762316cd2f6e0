import type { Actor } from '../actor.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { fileName } from '../files/file-name.ts';

/** docs/api.md#6-delete-an-uploaded-file. The file is gone at once; its objects are deleted by the next sweep. */
export async function removeFile(
  engines: Pick<Engines, 'store' | 'random'>,
  actor: Actor,
  draft: string,
  name: string,
): Promise<void> {
  const wanted = fileName(name);
  await engines.store.transaction(async (tx) => {
    await tx.drafts.lock(actor.accountId, draft);
    const removed = await tx.files.removeStaged(actor.accountId, draft, wanted);
    if (!removed) throw new ExchangeError('not_found', 'No uploaded file has that name.');
    await record(engines, tx, {
      accountId: actor.accountId,
      author: actor.author,
      action: 'file.removed',
      details: { draft, name: wanted },
    });
  });
}
