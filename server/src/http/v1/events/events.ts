import { limits } from '@waybill/protocol';
import { EventPage, ListEventsQuery } from '@waybill/protocol/v1';
import type { EventPosition } from '../../../domain/events/event-store.ts';
import { readEvents } from '../../../domain/events/read-events.ts';
import { toEvent } from '../../../domain/events/to-event.ts';
import { Cursors } from '../cursor.ts';
import { route } from '../route.ts';

export const listEvents = route({
  method: 'GET',
  path: '/events',
  id: 'listEvents',
  summary: 'List the events after a cursor, or wait for the next ones',
  scope: 'history',
  query: ListEventsQuery,
  response: { status: 200, description: 'The events, in order, and the cursor to go on with.', schema: EventPage },
  errors: ['cursor_expired'],
  async handle({ engines, caller, query, gone, revoked, authenticateAgain }) {
    const { after, limit = limits.pageSize, wait = 0 } = query;
    const cursors = new Cursors<EventPosition>(engines.pepper, caller, 'events');
    const position = after === undefined || after === 'end' ? after : cursors.open(after, 'after');
    const { events, next } = await readEvents(
      engines,
      caller.accountId,
      { after: position, limit, waitSeconds: wait },
      { gone: AbortSignal.any([gone, revoked]), mayStillRead: authenticateAgain },
    );
    revoked.throwIfAborted();
    return { body: { data: events.map(toEvent), next_cursor: cursors.seal(next) } };
  },
});
