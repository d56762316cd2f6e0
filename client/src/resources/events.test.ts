import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { refuse, WireServer } from '../testing/wire-server.ts';

const event = (contacts: number) => ({
  id: `e${contacts}`,
  type: 'contact.changed',
  timestamp: '2030-01-31T12:00:00.000Z',
  data: { contacts },
});
const begin = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
const block = (contacts: number) =>
  `event: contact.changed\nid: c${contacts}\ndata: ${JSON.stringify(event(contacts))}\n\n`;

test('a stream yields events as they arrive, and continues after the last one when it ends or breaks', async () => {
  let connections = 0;
  await using server = await WireServer.start((_seen, response) => {
    connections += 1;
    if (connections === 1) {
      begin(response).write(`retry: 2000\nid: c0\n\n${block(1).slice(0, 20)}`);
      response.end(`${block(1).slice(20)}:\n\n${block(2)}`);
    } else if (connections === 2) {
      begin(response).write(block(3), () => response.destroy());
    } else {
      // Moves the cursor without an event.
      begin(response).end(connections === 3 ? 'id: c9\n\n' : block(10));
    }
  });
  const pages: object[] = [];
  for await (const page of server.client().events.stream({ cursor: 'end' })) {
    pages.push(page);
    if (pages.length === 4) break;
  }
  expect(pages).toEqual(
    [1, 2, 3, 10].map((number) => ({ data: [event(number)], next_cursor: `c${number}`, has_more: false })),
  );
  expect(server.paths()).toEqual(['end', 'c2', 'c3', 'c9'].map((cursor) => `GET events/stream?cursor=${cursor}`));
});

test('a stream ends with the error of a request that is refused, and with its signal', async () => {
  await using server = await WireServer.start((seen, response) => {
    if (seen.path.endsWith('old')) refuse(response, 410, 'cursor_expired');
    else begin(response).write(block(1));
  });
  const { events } = server.client();
  await expect(events.stream({ cursor: 'old' }).next()).rejects.toMatchObject({ code: 'cursor_expired' });
  const stop = new AbortController();
  const stream = events.stream({ signal: stop.signal });
  expect((await stream.next()).value.next_cursor).toBe('c1');
  stop.abort(new Error('enough'));
  await expect(stream.next()).rejects.toThrow('enough');
});
