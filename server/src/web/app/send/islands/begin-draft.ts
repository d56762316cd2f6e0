import type { Chosen } from '../../../shared/islands/upload-entry.ts';
import { type DraftMemory, type KeptDraft, takeDraft, takeOwnDraft } from './composer-draft.ts';
import { holdDraft } from './hold-draft.ts';
import type { TabMemory } from './tab-memory.ts';

/** The fields of the form besides its files. */
export interface DraftFields {
  /** Whether the page came with receivers or a text, or the person has begun to write. */
  readonly isFilled: boolean;
  /** Reads them as one text; empty if nothing was written. With files, they are what the files need: never empty then. */
  read(hasFiles: boolean): string;
  restore(kept: string): void;
  /** Describes whom the form goes to, and with what. */
  mark(): string;
  /** Adds the receivers that the page names. */
  addNamed(): Promise<void>;
}

export interface BegunDraft {
  readonly draft: KeptDraft;
  /** Whether it was kept from an earlier visit. */
  readonly isKept: boolean;
  /** The draft that came too late, because the person had begun to write; this page has it all the same. */
  readonly passedOver?: KeptDraft | undefined;
}

/**
 * Begins with the draft of an earlier visit, or with a new one. A page that is about somebody, about files or about a text
 * takes up none but its own: the person did not come to it for the other one.
 */
export async function beginDraft(
  memory: DraftMemory,
  tab: TabMemory,
  key: string,
  requestId: string,
  uploads: readonly Chosen[],
  fields: DraftFields | undefined,
): Promise<BegunDraft> {
  const named = location.search;
  const isAbout = uploads.length > 0 || (fields?.isFilled ?? false);
  const own = tab.read();
  const before = fields?.mark();
  const kept = await (!isAbout
    ? takeDraft(memory, key, own, Date.now(), holdDraft)
    : own !== undefined && isReturn()
      ? takeOwnDraft(memory, key, own, named, holdDraft)
      : undefined);
  // Texts that the person has written meanwhile are not replaced.
  const isKept = kept !== undefined && fields?.mark() === before;
  if (!isKept) await holdDraft(requestId, 0);
  const draft = isKept
    ? kept
    : { id: requestId, requestId, key, changedAt: 0, named, pressed: '', written: '', files: uploads };
  tab.write(draft.id);
  if (isKept && draft.written !== '') fields?.restore(draft.written);
  return { draft, isKept, passedOver: isKept ? undefined : kept };
}

/** Whether the page was loaded again, or the person came back to it. */
function isReturn(): boolean {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return navigation?.type === 'reload' || navigation?.type === 'back_forward';
}

/** The uploads that the page names, such as files that came through the Share menu of a phone. */
export function readNamedUploads(root: HTMLElement): Chosen[] {
  const { uploadsHref } = root.dataset;
  return Array.from(root.querySelectorAll<HTMLInputElement>('input[name=upload]:checked'), ({ value, dataset }) => ({
    name: dataset['name'] ?? '',
    path: dataset['path'] || undefined,
    sizeBytes: Number(dataset['size']),
    fingerprint: undefined,
    url: `${uploadsHref}/${encodeURIComponent(value)}`,
  }));
}
