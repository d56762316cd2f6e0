import type { Actor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { InboxFile } from '../files/file-store.ts';
import type { QueuedEntry } from './inbox-store.ts';

/** An entry that has ended, or is another account's, looks as if it never existed. */
export async function findEntry({ store }: Pick<Engines, 'store'>, actor: Actor, id: string): Promise<QueuedEntry> {
  const entry = await store.inbox.entry(actor.accountId, id);
  if (!entry) throw new ExchangeError('not_found');
  return entry;
}

export async function findEntryWithFiles(
  engines: Pick<Engines, 'store'>,
  actor: Actor,
  id: string,
): Promise<QueuedEntry & { readonly files: readonly InboxFile[] }> {
  const entry = await findEntry(engines, actor, id);
  return { ...entry, files: await engines.store.files.inInbox(actor.accountId, id) };
}
