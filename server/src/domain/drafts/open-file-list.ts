import type { Actor, Engines, StagedFile } from '../ports/index.ts';

/** docs/api.md#5-get-uploaded-files: lists the staged files and opens the list, which is required before a dispatch. */
export async function openFileList(
  engines: Pick<Engines, 'store'>,
  actor: Actor,
  draft: string,
): Promise<StagedFile[]> {
  await engines.store.drafts.openList(actor.accountId, draft);
  return engines.store.files.staged(actor.accountId, draft);
}
