import type { EvidenceFile } from '@waybill/evidence';
import type { Actor } from '../actor.ts';
import { ExchangeError } from '../exchange-error.ts';
import { freeName } from '../files/file-name.ts';
import type { Store } from '../store.ts';
import { findUploads, uploadDraft } from './account-upload.ts';
import type { AccountUpload } from './upload-store.ts';

/**
 * The actor's uploads with these ids, locked until the transaction ends. One that is missing does not exist, was sent
 * already or belongs to someone else.
 */
export async function lockUploads(
  tx: Pick<Store, 'drafts' | 'uploads'>,
  actor: Actor,
  ids: readonly string[],
): Promise<ReadonlyMap<string, AccountUpload>> {
  const drafts = ids.map((id) => uploadDraft(actor, id));
  await tx.drafts.lockExisting(actor.accountId, drafts);
  const uploads = await findUploads({ store: tx }, actor, ids, { lock: true });
  return new Map(uploads.map((upload) => [upload.id, upload]));
}

/**
 * Makes ready uploads, locked in the same transaction, the files of a drop. Of files with the same name from several
 * folders, all but the first get a number; `names` are those that are taken. Returns them as evidence states them.
 */
export async function moveUploads(
  tx: Pick<Store, 'files'>,
  accountId: string,
  dropId: string,
  uploads: readonly AccountUpload[],
  names = new Set<string>(),
): Promise<EvidenceFile[]> {
  const paths = new Set<string>();
  const files = uploads.map(({ id, name, path }) => {
    if (paths.has(path))
      throw new ExchangeError(
        'invalid_input',
        `Two uploads have the path ${JSON.stringify(path)}. Remove one of them.`,
      );
    paths.add(path);
    const free = freeName(name, names);
    names.add(free);
    return { id, name: free, path: path === free ? null : path };
  });
  const moved = await tx.files.moveUploadsToDrop(accountId, files, dropId);
  if (moved.length !== uploads.length) throw new ExchangeError('files_not_ready');
  return moved;
}
