import type { Actor } from '../src/domain/actor.ts';
import type { TestDatabase } from './database.ts';

/** Entries of an inbox, all written at once, as the version before the queue wrote them; without files. */
export async function fillInbox(
  { query }: Pick<TestDatabase, 'query'>,
  sender: Pick<Actor, 'accountId'>,
  receiver: Pick<Actor, 'accountId'>,
  count: number,
): Promise<void> {
  await query(
    `with sent as (
       insert into drops (account_id, id, type, message, lifetime, expires_at, receiver_count, file_count, link_key, key_day)
       select $1, gen_random_uuid(), 'downloadfiles', 'drop ' || n, 7, now() + interval '7 days', 1, 1, '', 99999
       from generate_series(1, $3::int) n
       returning account_id, id
     )
     insert into inbox_entries (account_id, id, sender_account_id, drop_id)
     select $2, gen_random_uuid(), account_id, id from sent`,
    [sender.accountId, receiver.accountId, count],
  );
}

/** Moves the times of an account's queue into the past. */
export async function advanceQueue(
  { query }: Pick<TestDatabase, 'query'>,
  { accountId }: Pick<Actor, 'accountId'>,
  seconds: number,
): Promise<void> {
  await query(
    // In one order, so that callers that do this at the same time wait for each other.
    `with waiting as (
       select account_id, id from inbox_entries where account_id = $1 and due_at > now() order by id for update
     )
     update inbox_entries set due_at = due_at - make_interval(secs => $2) from waiting
     where inbox_entries.account_id = waiting.account_id and inbox_entries.id = waiting.id`,
    [accountId, seconds],
  );
}
