import type { Actor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { fileName } from '../files/file-name.ts';
import type { InboxFile } from '../files/file-store.ts';
import { isUuid } from '../is-uuid.ts';
import { requireScanned } from '../require-scanned.ts';
import type { InboxLine } from './inbox-store.ts';

type Needs = Pick<Engines, 'store' | 'policy'>;

/**
 * docs/api.md#11-download-a-file. A file that is not in this account's inbox, or is past its deadline, looks as if it
 * never existed.
 */
export async function findInboxFile(engines: Needs, actor: Actor, entryId: string, name: string): Promise<InboxFile> {
  return find(engines, actor, entryId, { name: fileName(name) });
}

export async function findInboxFileById(engines: Needs, actor: Actor, entryId: string, id: string): Promise<InboxFile> {
  return find(engines, actor, entryId, { id });
}

async function find(
  engines: Needs,
  actor: Actor,
  entryId: string,
  wanted: { readonly name: string } | { readonly id: string },
): Promise<InboxFile> {
  const [file] = isUuid(entryId) ? await engines.store.files.inInbox(actor.accountId, entryId, wanted) : [];
  if (!file) throw new ExchangeError('not_found');
  await requireScanned(engines, file.accountId, [file]);
  return file;
}

/**
 * All files of an entry, or those at these places in it. If the policy requires scans and one of them was never scanned,
 * none of them is returned.
 */
export async function findInboxFiles(
  engines: Needs,
  actor: Actor,
  entryId: string,
  chosen?: ReadonlySet<number>,
): Promise<InboxLine & { readonly files: readonly InboxFile[] }> {
  const { drops, files } = engines.store;
  const entry = isUuid(entryId) ? await drops.inboxEntry(actor.accountId, entryId) : undefined;
  if (!entry) throw new ExchangeError('not_found');
  const all = await files.inInbox(actor.accountId, entryId);
  const found = chosen ? all.filter((_, place) => chosen.has(place)) : all;
  if (chosen && found.length !== chosen.size) throw new ExchangeError('not_found');
  await requireScanned(engines, entry.senderAccountId, found);
  return { ...entry, files: found };
}
