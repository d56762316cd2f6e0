import type { Chosen } from '../../../shared/islands/upload-entry.ts';

/** A composer that was not sent yet, as this browser keeps it. */
export interface KeptDraft {
  readonly id: string;
  /** The id of the request that sends it: a repeated request has the same one. */
  readonly requestId: string;
  /** The person and the account. */
  readonly key: string;
  readonly changedAt: number;
  /** The receivers and files that the address of the page named, on which it was begun. */
  readonly named: string;
  /** The content and the receivers when the person pressed "Send"; empty if they did not. */
  readonly pressed: string;
  /** The fields of the form, as the page writes them. */
  readonly written: string;
  readonly files: readonly Chosen[];
}

/** Keeps drafts of this browser. A browser that stores nothing keeps none, and everything else works without it. */
export interface DraftMemory {
  list(key: string): Promise<readonly KeptDraft[]>;
  write(draft: KeptDraft): Promise<void>;
  remove(id: string): Promise<void>;
}

/** The server deletes an upload that was not sent after about this time; a draft without its uploads is of little use. */
const keptMs = 7 * 24 * 60 * 60 * 1000;
/** How long a page that is being left may still have its draft. */
const handOverMs = 2000;

/**
 * Takes a draft that no other tab has: the one that this tab had before it was loaded again, or else the one that was
 * changed last. `hold` returns whether this tab has got it, within some milliseconds.
 */
export async function takeDraft(
  memory: DraftMemory,
  key: string,
  own: string | undefined,
  now: number,
  hold: (id: string, withinMs: number) => Promise<boolean>,
): Promise<KeptDraft | undefined> {
  const drafts = await listDrafts(memory, key);
  const rank = ({ id }: KeptDraft) => (id === own ? 0 : 1);
  for (const draft of drafts.toSorted((one, other) => rank(one) - rank(other))) {
    if (!(await hold(draft.id, draft.id === own ? handOverMs : 0))) continue;
    if (now - draft.changedAt < keptMs) return draft;
    await memory.remove(draft.id);
  }
  return undefined;
}

/**
 * Takes the draft that this tab had before it was loaded again, for a page that is about somebody, or about files: it has
 * nothing to do with any other draft, nor with one that was begun on a page about somebody else.
 */
export async function takeOwnDraft(
  memory: DraftMemory,
  key: string,
  own: string,
  named: string,
  hold: (id: string, withinMs: number) => Promise<boolean>,
): Promise<KeptDraft | undefined> {
  const draft = (await memory.list(key)).find(({ id }) => id === own);
  return draft?.named === named && (await hold(own, handOverMs)) ? draft : undefined;
}

/** Finds the draft that a page which took up none offers: the one that was changed last, and that no tab has. */
export async function findOtherDraft(
  memory: DraftMemory,
  key: string,
  now: number,
  isHeld: (id: string) => Promise<boolean>,
): Promise<KeptDraft | undefined> {
  for (const draft of await listDrafts(memory, key)) {
    if (now - draft.changedAt < keptMs && !(await isHeld(draft.id))) return draft;
  }
  return undefined;
}

/** The draft that was changed last comes first. */
async function listDrafts(memory: DraftMemory, key: string): Promise<KeptDraft[]> {
  return (await memory.list(key)).toSorted((one, other) => other.changedAt - one.changedAt);
}
