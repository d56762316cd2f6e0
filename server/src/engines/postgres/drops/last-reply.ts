import { sql } from 'kysely';
import { cannotSend } from '../../../domain/outbox/server-reply.ts';

/**
 * For administrators, and for a query's `links`: why mails do not reach the receiver, or why the first of them has not been
 * accepted yet.
 */
export const lastOutcome = sql<
  string | null
>`coalesce(links.undeliverable_reason, case when links.notified_at is null then (
  select outcome from messages
  where messages.account_id = links.account_id and messages.drop_id = links.drop_id
    and messages.position = links.position and state = 'waiting' and kind = 'invitation' and outcome is not null
  limit 1) end)`;

/** For senders: without what concerns the operator's network, and without links that a server quotes (`removeLinks`). */
export const lastReply = sql<string | null>`(
  select case when starts_with(outcome, ${sql.lit(cannotSend)}) then ${sql.lit(cannotSend)}
    else regexp_replace(outcome, '\\mhttps?:\\S+', '…', 'gi') end
  from (select ${lastOutcome}) as last (outcome))`;
