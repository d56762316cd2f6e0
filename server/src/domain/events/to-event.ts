import type { StoredEvent } from './event-store.ts';

/** An event as the account and its webhooks get it. */
export function toEvent({ id, type, createdAt, data }: StoredEvent) {
  return { id, type, created_at: createdAt.toISOString(), data };
}
