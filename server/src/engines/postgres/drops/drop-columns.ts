import { sql } from 'kysely';
import type { DropState } from '../../../domain/drops/drop-store.ts';
import { cannotSend } from '../../../domain/outbox/server-reply.ts';

export const stateOfDrop = sql<DropState>`
  case when drops.revoked_at is not null then 'revoked'
       when drops.ended_at is not null or drops.expires_at <= now() then 'expired'
       else 'live' end`;

/** Whether the revocation of a drop can still be undone. */
export const isRestorable = sql<boolean>`drops.to_empty and drops.restorable_until > now() and drops.expires_at > now()`;

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
