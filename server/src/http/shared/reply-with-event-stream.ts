import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { limits } from '@waybill/protocol';
import type { FastifyReply } from 'fastify';
import type { EventFilter, EventPosition, StoredEvent } from '../../domain/events/event-store.ts';
import { type FollowEngines, type FollowedPage, followEvents } from '../../domain/events/read-events.ts';
import { endResponse, writeBytes } from '../transfer/write-bytes.ts';
import { Cursors } from './cursors.ts';
import { toLevel } from './json-errors.ts';

/** Proxies close a connection on which nothing was sent for a minute or so. */
const heartbeatMs = 15_000;
/** How long a client waits before it connects again. */
const retryMs = 2_000;
/**
 * A stream ends after this long, and its client continues with another. In the meantime its cursor cannot fall behind
 * the deletion of old events, and after a restart of one process the streams spread over all of them again.
 */
const maxStreamMs = 60 * 60_000;

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // nginx would collect the events until its buffer is full.
  'x-accel-buffering': 'no',
};

export const eventCursors = (pepper: Buffer, accountId: string) =>
  new Cursors<EventPosition>(pepper, { accountId }, 'events');

/** The events that a caller wants to follow. */
export interface EventStream {
  readonly accountId: string;
  /** A cursor, `end` for events from now on, or undefined for all that are kept. The header `Last-Event-ID` is preferred. */
  readonly after: string | undefined;
  readonly filter?: EventFilter;
  /** Aborted when the caller may no longer read events. */
  readonly ended: AbortSignal;
  readonly toMessage: (event: StoredEvent) => EventMessage;
}

export interface EventMessage {
  /** The name by which a client listens to it, if it has one. */
  readonly name?: string;
  readonly data: object;
}

/**
 * Replies with the events of an account as server-sent events, until the client disconnects, may no longer read them, or the
 * process stops. While a client does not read, nothing is read for it.
 */
export async function replyWithEventStream(
  engines: FollowEngines & { readonly pepper: Buffer },
  reply: FastifyReply,
  { accountId, after, filter, ended, toMessage }: EventStream,
): Promise<FastifyReply> {
  const cursors = eventCursors(engines.pepper, accountId);
  const start = findStart(reply, after);
  const position = start === undefined || start === 'end' ? start : cursors.open(start, 'cursor');
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  if (reply.raw.destroyed) gone.abort();
  const over = AbortSignal.any([gone.signal, ended, AbortSignal.timeout(maxStreamMs)]);
  const pages = followEvents(engines, accountId, { after: position, limit: limits.pageSize, filter }, over);
  // Before the status is sent, because the cursor may have expired.
  const first = await pages.next();
  ended.throwIfAborted();
  reply.hijack();
  reply.raw.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...headers });
  reply.raw.write(`retry: ${retryMs}\n`);
  const beating = setInterval(() => beat(reply.raw), heartbeatMs);
  try {
    for (let page = first; !page.done; page = await pages.next()) {
      await writeBytes(reply.raw, Buffer.from(toText(page.value, cursors, toMessage)));
    }
  } catch (error) {
    if (!gone.signal.aborted) reply.log[toLevel(error)]({ err: error }, 'a stream of events was broken off');
    reply.raw.destroy();
  } finally {
    clearInterval(beating);
    await pages.return();
  }
  await endResponse(reply.raw);
  return reply;
}

/** Browsers send the id of the last event that they got when they connect again. */
function findStart({ request }: FastifyReply, after: string | undefined): string | undefined {
  const lastId = request.headers['last-event-id'];
  return typeof lastId === 'string' && lastId !== '' ? lastId : after;
}

/** An id alone moves the client's cursor without an event, so that a client without events continues from here too. */
function toText(
  { events, next }: FollowedPage,
  cursors: Cursors<EventPosition>,
  toMessage: EventStream['toMessage'],
): string {
  const texts = events.map((event) => {
    const { name, data } = toMessage(event);
    const field = name === undefined ? '' : `event: ${name}\n`;
    return `${field}id: ${cursors.seal(event.position)}\ndata: ${JSON.stringify(data)}\n\n`;
  });
  return `${texts.join('')}id: ${cursors.seal(next)}\n\n`;
}

/** A comment, unless the client has not read what was sent before. */
function beat(response: ServerResponse): void {
  if (!response.writableNeedDrain) response.write(':\n\n');
}
