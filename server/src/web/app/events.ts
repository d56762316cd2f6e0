import { limits } from '@waybill/protocol';
import type { StoredEvent } from '../../domain/events/event-store.ts';
import { replyWithEventStream } from '../../http/shared/reply-with-event-stream.ts';
import type { AppRoute } from './shared/app-route.ts';

/** The stream by which a screen learns that it has changed. */
export const eventRoutes: readonly AppRoute[] = [
  {
    method: 'GET',
    path: '/:user/events',
    access: 'reader',
    async handle({ engines, eventWatch, membership, request, reply, ended }) {
      return replyWithEventStream({ ...engines, eventWatch }, reply, {
        accountId: membership.accountId,
        after: readCursor(request.query),
        ended,
        toMessage: (event) => ({ data: toHint(event) }),
      });
    },
  },
];

/** A screen without a cursor wants only what happens from now on. */
function readCursor(query: unknown): string {
  const { after } = query as { after?: unknown };
  return typeof after === 'string' && after !== '' && after.length <= limits.cursorLength ? after : 'end';
}

/** Says what has changed, not how: the screen is then loaded again, with what the person may see. */
function toHint({ type, data }: StoredEvent): object {
  return { type, id: type.startsWith('inbox.') ? data['inbox_id'] : (data['drop_id'] ?? data['request_id']) };
}
