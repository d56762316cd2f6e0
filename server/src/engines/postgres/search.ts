import { limits } from '@waybill/protocol';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';

/**
 * The drops that are looked at one by one before an index is used. A text that is in many drops is found among them; the
 * index would first collect every one of an account's.
 */
const searchedFirst = 1_000;
/** The index knows sequences of three characters; a shorter text is only looked for in the newest drops. */
const minIndexedLength = 3;

export interface TextSearch {
  /** Whether a row contains the text, by the expressions of the indexes drops_by_text, links_by_text and files_by_name. */
  readonly inDrop: RawBuilder<unknown>;
  readonly inLink: RawBuilder<unknown>;
  readonly inFile: RawBuilder<unknown>;
  /** Whether the name or the address of the account `sender` contains the text; of these there is no index. */
  readonly inSender: RawBuilder<unknown>;
  /** Whether the text is long enough for an index. */
  readonly isIndexed: boolean;
}

/**
 * Searches for a part of a title, a message, an external id or the end of an id, of the address or name of a receiver or a sender,
 * or of a file's name or path.
 */
export function searchText(text: string): TextSearch {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return {
    inDrop: sql`(coalesce(drops.title || ' ', '') || drops.message || ' ' || coalesce(drops.external_id, '') || ' ' || right(drops.id::text, 10)) ilike ${pattern}`,
    inLink: sql`(links.email || ' ' || coalesce(links.name, links.contact_name)) ilike ${pattern}`,
    inFile: sql`coalesce(files.path, files.name) ilike ${pattern}`,
    inSender: sql`(sender.email || ' ' || sender.display_name) ilike ${pattern}`,
    isIndexed: Array.from(text).length >= minIndexedLength,
  };
}

/** A list in which a text is looked for. */
interface SearchedList {
  /** All its rows: the statement's part from `from` on. */
  readonly rows: RawBuilder<unknown>;
  /** Selects the matches among its first `limit` rows, and returns how many there are. */
  readonly selectFirst: (limit: number) => Promise<number>;
  /** Selects the matches that the indexes find. */
  readonly selectIndexed: () => Promise<unknown>;
}

/** Looks for a text in the first rows, and by the indexes if those rows fill no page and are not the whole list. */
export async function searchList(
  db: Database,
  { isIndexed }: TextSearch,
  count: number,
  { rows, selectFirst, selectIndexed }: SearchedList,
): Promise<void> {
  const isPageFull = (await selectFirst(searchedFirst)) >= count;
  if (isPageFull || !isIndexed) return;
  const { rows: further } = await sql`select ${rows} offset ${sql.lit(searchedFirst)} limit 1`.execute(db);
  if (further.length > 0) await selectIndexed();
}

/** Whether a file of the drop contains the text. With a limit, so that it is looked up for the rows of a page only. */
export function matchFile({ inFile }: TextSearch): RawBuilder<unknown> {
  return sql`(
    select true from files where files.account_id = drops.account_id and files.drop_id = drops.id and ${inFile} limit 1
  ) is not null`;
}

/**
 * One more row than the largest page has, which shows whether there is another. Every page reads up to this many,
 * whatever its size: with the size in the statement, callers could have a hundred texts of each prepared.
 */
export const maxPageRows = limits.pageSize + 1;
