import { isStorable } from '../../domain/contacts/contact-from-input.ts';
import { toFilter } from '../../domain/drops/find-sent-drops.ts';
import type { SentDropFilter } from '../../domain/drops/sent-drop-store.ts';
import type { SentBy, SentPart } from '../../views/pages/app/sent-list-page.tsx';

const parts: readonly SentPart[] = ['all', 'attention', 'underway', 'done'];
const senders: readonly SentBy[] = ['anyone', 'me', 'programs'];
const maxSearchLength = 200;
const maxCursorLength = 500;

/** What the URL of the list says. */
export interface SentListQuery {
  readonly q: string;
  readonly part: SentPart;
  readonly by: SentBy;
  /** Only what has not ended can be sorted by its end. */
  readonly sort: 'sent' | 'until';
  /** The place of the page, as `readListPage` understands it. */
  readonly after: string | undefined;
  readonly before: string | undefined;
  readonly selectsAll: boolean;
}

/** Reads the query of a URL, or of a link back to the list. A value that is not offered counts as none. */
export function readSentQuery(fields: URLSearchParams): SentListQuery {
  const searched = fields.get('q') ?? '';
  // A link back is part of a form, in which it is encoded.
  const q = isStorable(searched) ? searched.trim().slice(0, maxSearchLength) : '';
  const part = parts.find((value) => value === fields.get('part')) ?? 'all';
  return {
    q,
    part,
    by: senders.find((value) => value === fields.get('by')) ?? 'anyone',
    sort: fields.get('sort') === 'until' && canSort({ q, part }) ? 'until' : 'sent',
    after: fields.get('after')?.slice(0, maxCursorLength),
    before: fields.get('before')?.slice(0, maxCursorLength),
    selectsAll: fields.get('select') === 'all',
  };
}

/** The fields of the list's URL that choose among the rows and order them; one that has its usual value is empty. */
export function toFields({ q, part, by, sort }: SentListQuery): Record<string, string> {
  return {
    q,
    part: part === 'all' ? '' : part,
    by: by === 'anyone' ? '' : by,
    sort: sort === 'sent' ? '' : sort,
  };
}

export function canSort({ q, part }: Pick<SentListQuery, 'q' | 'part'>): boolean {
  return q === '' && (part === 'attention' || part === 'underway');
}

export function toSentFilter({ q, part, by }: SentListQuery, personId: string): SentDropFilter {
  return {
    ...toFilter({ contains: q }),
    part: part === 'all' ? undefined : part,
    sentBy: by === 'me' ? personId : by === 'programs' ? null : undefined,
  };
}
