import { ExchangeError } from '../exchange-error.ts';
import { fileName } from '../files/file-name.ts';
import { requireScanned } from '../files/require-scanned.ts';
import { isUuid } from '../is-uuid.ts';
import type { Actor, Engines, InboxFile } from '../ports/index.ts';

/** spec 4, rule 11. What is not in this account's inbox, or past its deadline, answers as if it never was. */
export async function findInboxFile(
  engines: Pick<Engines, 'store' | 'policy'>,
  actor: Actor,
  entryId: string,
  name: string,
): Promise<InboxFile> {
  const wanted = fileName(name);
  const file = isUuid(entryId) ? await engines.store.files.inInbox(actor.accountId, entryId, wanted) : undefined;
  if (!file) throw new ExchangeError('not_found');
  requireScanned(engines.policy, file);
  return file;
}
