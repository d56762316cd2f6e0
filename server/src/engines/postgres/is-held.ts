import { type RawBuilder, sql } from 'kysely';

/**
 * Whether a hold in force covers a row of this account that belongs to this drop, or to none. A hold that is placed
 * later waits until this transaction has ended.
 */
export function isHeld(accountId: RawBuilder<unknown>, dropId: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`is_held(${accountId}, ${dropId})`;
}

/**
 * Whether no hold in force covers the row as far as this statement sees: to choose among any number of rows, by joins and
 * without a lock. Before a deletion, `isHeld` decides.
 */
export function seemsUnheld(accountId: RawBuilder<unknown>, dropId: RawBuilder<unknown>): RawBuilder<boolean> {
  const hold = sql`select from holds as hold where hold.account_id = ${accountId} and hold.released_at is null`;
  return sql<boolean>`not exists (${hold} and hold.drop_id is null) and not exists (${hold} and hold.drop_id = ${dropId})`;
}
