import type { TestDatabase } from './database.ts';

/** Gives every waiting entry a place in the log, as the sequencer would, in an epoch for tests. */
export async function placeEvidence({ query }: Pick<TestDatabase, 'query'>): Promise<void> {
  await query(`
    with waiting as (
      select account_id, id, row_number() over (order by sequence) - 1 as place,
        (select count(*) from evidence_entries as earlier where earlier.leaf_index is not null
          and (earlier.account_id, earlier.drop_id, earlier.position)
            is not distinct from (entry.account_id, entry.drop_id, entry.position))
          + row_number() over (partition by account_id, drop_id, position order by sequence) - 1 as number
      from evidence_entries as entry where leaf_index is null
    )
    update evidence_entries as entry set epoch = 99, number = waiting.number, commitment = sha256(entry.salt),
      leaf_index = waiting.place + (select count(*) from evidence_entries where epoch = 99)
    from waiting where entry.account_id = waiting.account_id and entry.id = waiting.id`);
}
