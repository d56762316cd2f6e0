import { ExchangeError } from '../exchange-error.ts';
import { fileName } from '../files/file-name.ts';
import type { Actor, Engines, SealedFile } from '../ports.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** spec 4, rule 11. What is not in this account's inbox, or past its deadline, answers as if it never was. */
export async function findInboxFile(
  engines: Pick<Engines, 'store' | 'policy'>,
  actor: Actor,
  entryId: string,
  name: string,
): Promise<SealedFile> {
  const wanted = fileName(name);
  const file = uuid.test(entryId) ? await engines.store.files.inInbox(actor.accountId, entryId, wanted) : undefined;
  if (!file) throw new ExchangeError('not_found');
  // The policy may have become stricter since the upload: what was never scanned must not leave now.
  if (engines.policy.scan === 'required' && file.scan !== 'clean') {
    throw new ExchangeError('not_found', 'The file was never scanned for viruses, and this server requires it now.');
  }
  return file;
}
