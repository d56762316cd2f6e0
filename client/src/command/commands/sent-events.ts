import { isWaybillError } from '../../errors.ts';
import type { AccountEvent } from '../../generated/wire.ts';
import type { Waybill } from '../../waybill.ts';

/** The events of one drop or request. */
export interface SentEvents {
  events: readonly AccountEvent[];
  /** Whether these are all of its events: the server deletes old ones, and only the first are read. */
  isWhole: boolean;
}

export const noHistory: SentEvents = { events: [], isWhole: false };

/** The maximum that the server allows. */
const pageSize = 100;
/** A drop with a thousand receivers and a thousand files has a million events. */
const maxPages = 20;

type SentId = { readonly dropId: string } | { readonly requestId: string };

/** Reads the events of a drop or a request; none with a key that may only send, which reads what it sent, but no events. */
export async function readSentEvents(client: Waybill, sent: SentId, signal: AbortSignal): Promise<SentEvents> {
  try {
    return await readPages(client, sent, signal);
  } catch (error) {
    if (isWaybillError(error, 'scope_missing')) return noHistory;
    throw error;
  }
}

async function readPages(client: Waybill, sent: SentId, signal: AbortSignal): Promise<SentEvents> {
  const events: AccountEvent[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const found = await client.events.list({ ...sent, cursor, limit: pageSize, signal });
    events.push(...found.data);
    if (!found.has_more) {
      return { events, isWhole: events.some(({ type }) => type === 'drop.created' || type === 'request.created') };
    }
    cursor = found.next_cursor;
  }
  return { events, isWhole: false };
}
