import { type RawBuilder, sql } from 'kysely';

/** About 20 kB in a row. Download managers leave a few dozen gaps at a time. */
const maxRangesPerFile = 1_000;

/**
 * If a client leaves more gaps than we store, its shortest ranges are discarded: the file may then never count as
 * complete, but it never counts as complete by mistake.
 */
export function keepLongestRanges(sent: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select coalesce(range_agg(part), '{}') from (
    select part from unnest(${sent}) as part
    order by upper(part) - lower(part) desc limit ${sql.lit(maxRangesPerFile)}) as longest)`;
}
