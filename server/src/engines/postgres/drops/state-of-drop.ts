import { sql } from 'kysely';
import type { DropState } from '../../../domain/drops/drop-store.ts';

export const stateOfDrop = sql<DropState>`
  case when drops.revoked_at is not null then 'revoked'
       when drops.ended_at is not null or drops.expires_at <= now() then 'expired'
       else 'live' end`;

/** Its revocation can still be undone. */
export const isRestorable = sql<boolean>`drops.to_empty and drops.restorable_until > now() and drops.expires_at > now()`;
