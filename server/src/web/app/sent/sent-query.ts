import { isStorable } from '../../../domain/contacts/contact-from-input.ts';
import { toFilter } from '../../../domain/drops/find-sent-drops.ts';
import type { SentDropFilter } from '../../../domain/drops/sent-drop-store.ts';

const maxSearchLength = 200;
const maxCursorLength = 500;
/** The parts of a list that have not ended, and so can be sorted by their end. */
const sortableParts: ReadonlySet<string> = new Set(['attention', 'underway']);

/** The parts that a list is shown in, and the filters whose rows each of them has. The first is the usual one. */
export type SentListParts = Readonly<Record<string, readonly SentDropFilter[]>>;

/** The choices in the URL of a list. */
export interface SentListQuery {
  readonly q: string;
  readonly part: string;
  readonly by: '' | 'me' | 'programs';
  readonly sort: 'sent' | 'until';
  readonly canSort: boolean;
  /** The place of the page, as `readListPage` understands it. */
  readonly after: string | undefined;
  readonly before: string | undefined;
  readonly selectsAll: boolean;
  /** The rows are those that match any one of these. */
  readonly filters: readonly SentDropFilter[];
  /** The fields of the URL that choose among the rows and order them; one that has its usual value is empty. */
  readonly fields: Readonly<Record<'q' | 'part' | 'by' | 'sort', string>>;
}

/** Reads the query of a URL. A value that is not offered counts as none. */
export function readSentQuery(url: URLSearchParams, parts: SentListParts, personId: string): SentListQuery {
  const searched = url.get('q') ?? '';
  const q = isStorable(searched) ? searched.trim().slice(0, maxSearchLength) : '';
  const [usual = ''] = Object.keys(parts);
  const part = Object.keys(parts).find((name) => name === url.get('part')) ?? usual;
  const by = (['me', 'programs'] as const).find((value) => value === url.get('by')) ?? '';
  const canSort = q === '' && sortableParts.has(part);
  const sort = url.get('sort') === 'until' && canSort ? 'until' : 'sent';
  const search = { ...toFilter({ contains: q }), sentBy: { '': undefined, me: personId, programs: null }[by] };
  return {
    q,
    part,
    by,
    sort,
    canSort,
    after: url.get('after')?.slice(0, maxCursorLength),
    before: url.get('before')?.slice(0, maxCursorLength),
    selectsAll: url.get('select') === 'all',
    filters: (parts[part] ?? []).map((filter) => ({ ...search, ...filter })),
    fields: { q, part: part === usual ? '' : part, by, sort: sort === 'sent' ? '' : sort },
  };
}
