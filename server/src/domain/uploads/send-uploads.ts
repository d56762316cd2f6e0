import { ExchangeError } from '../exchange-error.ts';
import { freeName } from '../files/free-name.ts';
import type { Store } from '../store.ts';
import { uploadDraft } from './account-upload.ts';
import type { AccountUpload } from './upload-store.ts';

/**
 * The account's uploads with these ids, locked until the transaction ends. One that is missing does not exist, was sent
 * already or belongs to another account.
 */
export async function lockUploads(
  tx: Pick<Store, 'drafts' | 'uploads'>,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, AccountUpload>> {
  await tx.drafts.lockExisting(accountId, ids.map(uploadDraft));
  const uploads = await tx.uploads.ofAccount(accountId, ids, { lock: true });
  return new Map(uploads.map((upload) => [upload.id, upload]));
}

/**
 * Makes ready uploads, locked in the same transaction, the files of a drop. Of files with the same name from several
 * folders, all but the first get a number.
 */
export async function moveUploads(
  tx: Pick<Store, 'files'>,
  accountId: string,
  dropId: string,
  uploads: readonly AccountUpload[],
): Promise<void> {
  const names = new Set<string>();
  const paths = new Set<string>();
  const files = uploads.map(({ id, name, path }) => {
    if (paths.has(path)) throw new ExchangeError('invalid_input', `Two uploads have the path ${JSON.stringify(path)}.`);
    paths.add(path);
    const free = freeName(name, names);
    names.add(free);
    return { id, name: free, path: path === free ? null : path };
  });
  const moved = await tx.files.moveUploadsToDrop(accountId, files, dropId);
  if (moved !== uploads.length) throw new ExchangeError('files_not_ready');
}
