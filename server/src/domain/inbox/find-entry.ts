import type { Actor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { InboxFile } from '../files/file-store.ts';
import { query } from '../query.ts';
import { requireIdEnd } from '../reference.ts';
import { requireOneOf } from '../require-one-of.ts';
import type { QueuedEntry, QueueFilter, QueuePosition } from './inbox-store.ts';

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

/** Adds their files to entries, in their order, as long as they are no more than `maxFiles` together. */
export async function addFiles<Entry extends QueuedEntry>(
  { store }: Pick<Engines, 'store'>,
  actor: Actor,
  entries: readonly Entry[],
  maxFiles: number,
): Promise<(Entry & { readonly files: readonly InboxFile[] | null })[]> {
  let left = maxFiles;
  const chosen = entries.filter(({ fileCount }) => fileCount <= left && (left -= fileCount) >= 0).map(({ id }) => id);
  const found = chosen.length === 0 ? [] : await store.files.inInboxEntries(actor.accountId, chosen);
  const byEntry = Map.groupBy(found, ({ entryId }) => entryId);
  return entries.map((entry) => ({
    ...entry,
    files: chosen.includes(entry.id) ? (byEntry.get(entry.id) ?? []) : null,
  }));
}

/** Opens an entry for a person. Each of its files says whether it was sent to the account in full. */
export async function openEntry(engines: Pick<Engines, 'store'>, actor: Actor, id: string, personId: string) {
  const { inbox } = engines.store;
  const entry = await findEntryWithFiles(engines, actor, id);
  if (entry.isUnread) await inbox.markSeen(actor.accountId, id, personId);
  const downloaded = await inbox.downloadedFiles(actor.accountId, id);
  return { ...entry, files: entry.files.map((file) => ({ ...file, isDownloaded: downloaded.has(file.id) })) };
}

export const countUnread = query((store) => store.inbox.countUnread);
/** Lists the entries that people see. */
export const listEntries = query((store) => store.inbox.list);

interface QueueQuery extends Omit<QueueFilter, 'idEnd'> {
  readonly reference?: string | undefined;
}

/** Lists the entries that programs claim. */
export function listQueuedEntries(
  { store }: Pick<Engines, 'store'>,
  accountId: string,
  { reference, ...filter }: QueueQuery,
  after: QueuePosition | undefined,
  count: number,
): Promise<QueuedEntry[]> {
  requireOneOf({ ...filter, reference });
  const idEnd = reference === undefined ? undefined : requireIdEnd(reference);
  return store.inbox.page(accountId, { ...filter, idEnd }, after, count);
}
