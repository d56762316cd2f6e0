import type { Actor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import type { StagedFile } from '../files/file-store.ts';

/** docs/api.md#5-get-uploaded-files: lists the staged files and opens the list, which is required before a dispatch. */
export async function openFileList(
  engines: Pick<Engines, 'store'>,
  actor: Actor,
  draft: string,
): Promise<StagedFile[]> {
  await engines.store.drafts.openList(actor.accountId, draft);
  return engines.store.files.staged(actor.accountId, draft);
}
