import { type RawBuilder, sql } from 'kysely';

/**
 * The drops that are looked at one by one before an index is used. A text that is in many drops is found among them; the
 * index would first collect every one of an account's.
 */
export const searchedFirst = 1_000;
/** The index knows sequences of three characters; a shorter text is only looked for in the newest drops. */
const minIndexedLength = 3;

export interface TextSearch {
  /** Whether the drop, a receiver or a file of it contains the text; `drops` is a row of that table. */
  readonly matchesDrop: RawBuilder<unknown>;
  /** The ids of all drops of an account that contain the text; undefined if the text is too short for an index. */
  readonly dropIds: ((accountId: string) => RawBuilder<unknown>) | undefined;
}

/** Searches for a part of a message, an external id, a receiver's address or name, or a file's name or path. */
export function searchText(text: string): TextSearch {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  // The expressions are those of the indexes drops_by_text, links_by_text and files_by_name.
  const inDrop = sql`(drops.message || ' ' || coalesce(drops.external_id, '') || ' ' || right(drops.id::text, 10)) ilike ${pattern}`;
  const inLink = sql`(links.email || ' ' || coalesce(links.name, links.contact_name)) ilike ${pattern}`;
  const inFile = sql`coalesce(files.path, files.name) ilike ${pattern}`;
  // With a limit, so that it is looked up for the rows of a page only, and not for all drops at once.
  const matchesDrop = sql`(${inDrop}
    or (select true from links
        where links.account_id = drops.account_id and links.drop_id = drops.id and ${inLink} limit 1) is not null
    or (select true from files
        where files.account_id = drops.account_id and files.drop_id = drops.id and ${inFile} limit 1) is not null)`;
  const dropIds = (accountId: string) => sql`(
    select id from drops where account_id = ${accountId} and ${inDrop}
    union select drop_id from links where account_id = ${accountId} and ${inLink}
    union select drop_id from files where account_id = ${accountId} and drop_id is not null and ${inFile})`;
  return { matchesDrop, dropIds: Array.from(text).length < minIndexedLength ? undefined : dropIds };
}
