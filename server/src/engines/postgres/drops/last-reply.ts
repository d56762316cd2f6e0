import { sql } from 'kysely';

/** For a query's `links`: why mails do not reach the receiver, or why the first of them has not been accepted yet. */
export const lastReply = sql<
  string | null
>`coalesce(links.undeliverable_reason, case when links.notified_at is null then (
  select outcome from messages
  where messages.account_id = links.account_id and messages.drop_id = links.drop_id
    and messages.position = links.position and state = 'waiting' and kind = 'invitation' and outcome is not null
  limit 1) end)`;
