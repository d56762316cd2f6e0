import { limits } from '@waybill/protocol';
import { EventPage, ListEventsQuery, StreamEventsHeaders, StreamEventsQuery } from '@waybill/protocol/v1';
import type { Static } from 'typebox';
import { readEvents, toEvent } from '../../../domain/events/read-events.ts';
import { eventCursors, replyWithEventStream } from '../../../http/shared/reply-with-event-stream.ts';
import { type KeyRoute, route } from '../route.ts';

const listEvents = route({
  method: 'GET',
  path: '/events',
  id: 'listEvents',
  summary: 'List the events after a cursor, or wait for the next ones',
  scope: 'history',
  query: ListEventsQuery,
  response: { status: 200, description: 'The events, in order, and the cursor to go on with.', schema: EventPage },
  errors: ['cursor_expired'],
  async handle({ engines, caller, query, gone, revoked, authenticateAgain }) {
    const { cursor, limit = limits.pageSize, wait = 0 } = query;
    const cursors = eventCursors(engines.pepper, caller.accountId);
    const position = cursor === undefined || cursor === 'end' ? cursor : cursors.open(cursor, 'cursor');
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

const streamEvents: KeyRoute = {
  method: 'GET',
  path: '/events/stream',
  id: 'streamEvents',
  summary: 'Follow the events as server-sent events',
  scope: 'history',
  query: StreamEventsQuery,
  response: {
    status: 200,
    description:
      'The events after the cursor and those that follow, in order. Each has its type as `event`, its cursor as `id`, and as `data` the same JSON as in the list.',
    schema: { type: 'string' },
    mediaType: 'text/event-stream',
    example: 'event: drop.opened\nid: …\ndata: {"id":"…","type":"drop.opened",…}\n\n',
  },
  errors: ['cursor_expired'],
  stream: {
    headers: StreamEventsHeaders,
    curl: ['-N'],
    async serve({ engines, caller, request, reply, revoked }) {
      const { cursor: after } = request.query as Static<typeof StreamEventsQuery>;
      return replyWithEventStream(engines, reply, {
        accountId: caller.accountId,
        after,
        ended: revoked,
        toMessage: (event) => ({ name: event.type, data: toEvent(event) }),
      });
    },
  },
};

export const eventRoutes: readonly KeyRoute[] = [listEvents, streamEvents];
