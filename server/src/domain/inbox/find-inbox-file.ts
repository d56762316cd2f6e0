import type { Actor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { fileName } from '../files/file-name.ts';
import type { InboxFile } from '../files/file-store.ts';
import { takeFolder } from '../files/take-folder.ts';
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

/** Which files of an entry are wanted: those at these places in it, and those of these folders by their keys. */
export interface InboxChoice {
  readonly places?: ReadonlySet<number> | undefined;
  readonly folders?: readonly string[] | undefined;
}

interface FoundFiles extends InboxLine {
  /** The path of the folder whose files these are, if they are those of one. */
  readonly folder: string | undefined;
  readonly files: readonly InboxFile[];
}

/**
 * All files of an entry, or those that were chosen. If the policy requires scans and one of them was never scanned, none of
 * them is returned.
 */
export async function findInboxFiles(
  engines: Needs,
  actor: Actor,
  entryId: string,
  chosen?: InboxChoice,
): Promise<FoundFiles> {
  const { drops, files } = engines.store;
  const entry = isUuid(entryId) ? await drops.inboxEntry(actor.accountId, entryId) : undefined;
  if (!entry) throw new ExchangeError('not_found');
  const all = await files.inInbox(actor.accountId, entryId);
  const found = chosen ? choose(all, chosen) : { files: all, folder: undefined };
  await requireScanned(engines, entry.senderAccountId, found.files);
  return { ...entry, ...found };
}

function choose(all: readonly InboxFile[], { places = new Set(), folders = [] }: InboxChoice) {
  if ([...places].some((place) => place >= all.length)) throw new ExchangeError('not_found');
  const taken = folders.map((key) => takeFolder(all, key));
  const inFolders = new Set(taken.flatMap(({ files }) => files));
  return {
    files: all.filter((file, place) => places.has(place) || inFolders.has(file)),
    folder: places.size === 0 && taken.length === 1 ? taken[0]?.path : undefined,
  };
}
