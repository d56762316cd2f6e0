import type { AccountEvent } from '../../generated/wire.ts';
import type { Waybill } from '../../waybill.ts';

/** The events of one drop or request. */
export interface SentEvents {
  events: readonly AccountEvent[];
  /** Whether these are all of its events: the server deletes old ones, and only the first pages are read. */
  isWhole: boolean;
}

export const noHistory: SentEvents = { events: [], isWhole: false };

/** The maximum that the server allows. */
const pageSize = 100;
/** The server cannot filter events by drop, and an account may have very many. */
const maxPages = 20;

/** Reads the events of a drop or a request from those of the account. */
export async function readSentEvents(client: Waybill, id: string, signal: AbortSignal): Promise<SentEvents> {
  const events: AccountEvent[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const { data, next_cursor: next } = await client.events.list({ cursor, limit: pageSize, signal });
    events.push(...data.filter((event) => concerns(event, id)));
    if (data.length < pageSize) {
      return { events, isWhole: events.some(({ type }) => type === 'drop.created' || type === 'request.created') };
    }
    cursor = next;
  }
  return { events, isWhole: false };
}

function concerns({ data }: AccountEvent, id: string): boolean {
  return ('drop_id' in data && data.drop_id === id) || ('request_id' in data && data.request_id === id);
}
