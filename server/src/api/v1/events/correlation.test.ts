// Two systems that exchange files recognise each other's records: by the reference of a drop or a request, and by the
// external id that its sender chose.
import { randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { readyUpload } from '../../../../test/account-uploads.ts';
import { EventStreamReader } from '../../../../test/event-stream.ts';
import { readyFile } from '../../../../test/file-requests.ts';
import { deriveToken } from '../../../../test/links.ts';
import { requestV1 } from '../../../../test/request-v1.ts';
import { buildTestServer } from '../../../../test/server.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import type { Actor } from '../../../domain/actor.ts';
import { findLink } from '../../../domain/links/find-link.ts';
import { openLink } from '../../../domain/links/open-link.ts';
import { sendFiles } from '../../../domain/requests/send-files.ts';

const { exchange, app } = await useTestServer();
const { engines } = exchange;

/** A transaction in any database of the server, such as another test's, keeps new events from being seen until it ends. */
const patience = { timeout: 100_000 };
vi.setConfig({ testTimeout: 120_000 });

type Account = Actor & { readonly apiKey: string };
type Entry = Readonly<Record<string, string>>;
interface Event {
  readonly type: string;
  readonly data: Entry;
}
interface EventPage {
  readonly data: readonly Event[];
  readonly next_cursor: string;
  readonly has_more: boolean;
}

const get = ({ apiKey: key }: Account, path: string) => requestV1(app, 'GET', path, { key });
const post = ({ apiKey: key }: Account, path: string, body: object) => requestV1(app, 'POST', path, { key, body });
const listTypes = ({ data }: EventPage) => data.map(({ type }) => type);
async function readEvents(account: Account, query = ''): Promise<EventPage> {
  const response = await get(account, `/events?${query}`);
  expect(response.status, response.text).toBe(200);
  return response.json();
}
async function listInbox(account: Account, query = ''): Promise<Entry[]> {
  const response = await get(account, `/inbox?${query}`);
  expect(response.status, response.text).toBe(200);
  return response.json().data;
}

async function send(sender: Account, email: string, externalId?: string) {
  const uploads = [await readyUpload(exchange, sender, 'a.txt')];
  const body = { uploads, receivers: [{ email }], ...(externalId && { external_id: externalId }) };
  return (await post(sender, '/drops', body)).json();
}

/** Asks a contact for files, who sends some. */
async function receive(owner: Account, externalId: string) {
  const body = { receivers: [{ email: 'anna@example.org' }], external_id: externalId, reusable: true };
  const request = (await post(owner, '/requests', body)).json();
  const link = await findLink(engines, await deriveToken(exchange, owner, request.id, 0), 'uploadfiles');
  await readyFile(engines, link, 'b.txt');
  await sendFiles(engines, link, '');
  return request;
}

/** The events of a request whose only contact has sent files. */
const receivedTypes = ['request.created', 'request.received', 'inbox.received', 'request.fulfilled'];

describe('a drop to an account', () => {
  test('is known to its receiver by the sender’s reference and external id', async () => {
    const [sender, receiver] = [await exchange.account(), await exchange.account()];
    const { reference } = await send(sender, receiver.email, 'order-4711');
    const identity = { reference, external_id: 'order-4711', request_id: null };
    const [entry] = await listInbox(receiver);
    expect(entry).toMatchObject(identity);
    expect((await get(receiver, `/inbox/${entry?.['id']}`)).json()).toMatchObject(identity);
    expect((await post(receiver, '/inbox/claim', {})).json().data).toMatchObject([identity]);
    await expect.poll(async () => (await readEvents(receiver)).data, patience).toHaveLength(1);
    expect((await readEvents(receiver)).data).toMatchObject([{ type: 'inbox.received', data: identity }]);
  });

  test('tells its receiver nothing else of what the sender keeps with it', async () => {
    const [sender, receiver] = [await exchange.account(), await exchange.account()];
    const uploads = [await readyUpload(exchange, sender, 'a.txt')];
    const receivers = [{ email: receiver.email }, { email: 'someone@example.org' }];
    const { id } = (await post(sender, '/drops', { uploads, receivers, metadata: { note: 'secret-note' } })).json();
    const [entry] = await listInbox(receiver);
    const seen = JSON.stringify([entry, (await get(receiver, `/inbox/${entry?.['id']}`)).json()]);
    for (const hidden of [id, 'secret-note', 'someone@example.org']) expect(seen).not.toContain(hidden);
    expect(entry?.['external_id']).toBeNull();
  });
});

test('what a contact sends has the id, the reference and the external id of the account’s own request', async () => {
  const owner = await exchange.account();
  const { id, reference } = await receive(owner, 'case-12');
  const identity = { request_id: id, reference, external_id: 'case-12' };
  expect(await listInbox(owner)).toMatchObject([identity]);
  await expect.poll(async () => (await readEvents(owner)).data, patience).toHaveLength(4);
  const { data } = await readEvents(owner);
  expect(data.map(({ type }) => type)).toEqual(receivedTypes);
  for (const event of data) expect(event.data).toMatchObject(identity);
});

describe('the list of the inbox', () => {
  test('finds entries by external id, reference and request, and no other account’s', async () => {
    const [sender, receiver, other] = [await exchange.account(), await exchange.account(), await exchange.account()];
    const drop = await send(sender, receiver.email, 'order-1');
    await send(sender, receiver.email, 'order-2');
    await send(sender, other.email, 'order-1');
    const request = await receive(receiver, 'case-1');
    const find = async (query: string) => (await listInbox(receiver, query)).map(({ external_id: id }) => id);
    expect(await find('external_id=order-1')).toEqual(['order-1']);
    expect(await find('external_id=case-1')).toEqual(['case-1']);
    expect(await find(`reference=${drop.reference}`)).toEqual(['order-1']);
    expect(await find(`reference=${String(request.reference).toLowerCase().replaceAll('-', '')}`)).toEqual(['case-1']);
    expect(await find(`request_id=${request.id}`)).toEqual(['case-1']);
    expect(await find(`request_id=${String(request.id).toUpperCase()}`)).toEqual(['case-1']);
    for (const query of ['external_id=order', 'reference=WB-0000-0000', `request_id=${drop.id}`]) {
      expect(await find(query)).toEqual([]);
    }
    for (const query of [`request_id=${request.id}`, `reference=${request.reference}`, 'external_id=case-1']) {
      expect(await listInbox(sender, query)).toEqual([]);
    }
  });

  test('is read page by page with a filter, and a cursor is valid only with it', async () => {
    const [sender, receiver] = [await exchange.account(), await exchange.account()];
    for (let count = 0; count < 3; count += 1) await send(sender, receiver.email, 'order-1');
    await send(sender, receiver.email, 'order-2');
    const first = (await get(receiver, '/inbox?external_id=order-1&limit=2')).json();
    expect(first.data).toHaveLength(2);
    const rest = (await get(receiver, `/inbox?external_id=order-1&limit=2&cursor=${first.next_cursor}`)).json();
    expect([rest.data.length, rest.next_cursor]).toEqual([1, null]);
    expect((await get(receiver, `/inbox?external_id=order-2&cursor=${first.next_cursor}`)).status).toBe(400);
  });

  test.each([
    'external_id=',
    `external_id=${'x'.repeat(256)}`,
    'external_id=%00',
    'external_id=a&external_id=b',
    'reference=nonsense',
    'reference=WB-UUUU-UUUU',
    'request_id=1',
    `state=parked&external_id=a`,
    `reference=WB-0000-0000&request_id=${randomUUID()}`,
  ])('refuses %s', async (query) => {
    const response = await get(await exchange.account(), `/inbox?${query}`);
    expect([response.status, response.json().code]).toEqual([400, 'invalid_input']);
  });
});

test('drops and requests are found by their reference', async () => {
  const sender = await exchange.account();
  const drop = await send(sender, 'r@example.org', 'x');
  await send(sender, 'r@example.org');
  const find = async (account: Account, path: string) => (await get(account, path)).json();
  expect((await find(sender, `/drops?reference=${drop.reference}`)).data).toMatchObject([{ id: drop.id }]);
  expect((await find(sender, `/requests?reference=${drop.reference}`)).data).toEqual([]);
  expect((await find(await exchange.account(), `/drops?reference=${drop.reference}`)).data).toEqual([]);
  for (const query of ['reference=x', `reference=${drop.reference}&external_id=x`]) {
    expect(await find(sender, `/drops?${query}`)).toMatchObject({ code: 'invalid_input' });
  }
});

describe('a filter of events', () => {
  test('selects by type, drop, request and external id, or all of them', async () => {
    const [owner, other] = [await exchange.account(), await exchange.account()];
    const drop = await send(owner, 'r@example.org', 'order-1');
    const second = await send(owner, 'r@example.org', 'order-2');
    await openLink(engines, await findLink(engines, await deriveToken(exchange, owner, drop.id, 0), 'downloadfiles'));
    const request = await receive(owner, 'order-1');
    await send(other, 'r@example.org', 'order-1');
    await expect.poll(async () => (await readEvents(owner)).data.length, patience).toBe(7);
    const find = async (query: string) => listTypes(await readEvents(owner, query));
    expect(await find(`drop_id=${drop.id}`)).toEqual(['drop.created', 'drop.opened']);
    expect(await find(`drop_id=${String(drop.id).toUpperCase()}`)).toEqual(['drop.created', 'drop.opened']);
    expect(await find(`drop_id=${second.id}&type=drop.opened`)).toEqual([]);
    expect(await find(`request_id=${request.id}`)).toEqual(receivedTypes);
    expect(await find(`request_id=${drop.id}`)).toEqual([]);
    expect(await find('type=inbox.received')).toEqual(['inbox.received']);
    expect(await find('type=drop.opened&type=drop.created')).toEqual(['drop.created', 'drop.created', 'drop.opened']);
    expect(await find('external_id=order-1')).toEqual(['drop.created', 'drop.opened', ...receivedTypes]);
    expect(await find('external_id=order-1&type=drop.opened&type=inbox.received')).toEqual([
      'drop.opened',
      'inbox.received',
    ]);
    expect(await find(`external_id=order-2&drop_id=${drop.id}`)).toEqual([]);
    expect(listTypes(await readEvents(other, `drop_id=${drop.id}`))).toEqual([]);
  });

  test('is read page by page; a cursor is a place among all events, and valid with every filter', async () => {
    const owner = await exchange.account();
    const { id } = await send(owner, 'r@example.org');
    for (let count = 0; count < 2; count += 1) await send(owner, 'r@example.org');
    await expect.poll(async () => (await readEvents(owner)).data.length, patience).toBe(3);
    const first = await readEvents(owner, 'type=drop.created&limit=2');
    expect([first.data.length, first.has_more]).toEqual([2, true]);
    const rest = await readEvents(owner, `type=drop.created&limit=2&cursor=${first.next_cursor}`);
    expect([rest.data.length, rest.has_more]).toEqual([1, false]);
    expect((await readEvents(owner, `cursor=${first.next_cursor}`)).data).toEqual(rest.data);
    expect((await readEvents(owner, `drop_id=${id}&cursor=${first.next_cursor}`)).data).toEqual([]);
  });

  test('applies to requests that wait, and to streams', async () => {
    const owner = await exchange.account();
    await send(owner, 'r@example.org', 'order-0');
    const server = buildTestServer(exchange);
    await server.listen({ port: 0, host: '127.0.0.1' });
    const headers = { authorization: `Bearer ${owner.apiKey}` };
    const stream = await EventStreamReader.open(server, '/api/v1/events/stream?external_id=order-1', headers);
    const all = await EventStreamReader.open(server, '/api/v1/events/stream', headers);
    const { next_cursor: end } = await readEvents(owner, 'cursor=end');
    const hear = async (cursor: string): Promise<EventPage> => {
      const page = await readEvents(owner, `external_id=order-1&type=drop.created&wait=30&cursor=${cursor}`);
      return page.data.length > 0 ? page : hear(page.next_cursor);
    };
    const waiting = hear(end);
    await send(owner, 'r@example.org', 'order-2');
    const wanted = await send(owner, 'r@example.org', 'order-1');
    expect((await waiting).data.map(({ data }) => data['drop_id'])).toEqual([wanted.id]);
    await expect.poll(() => all.events.length, patience).toBe(3);
    await expect.poll(() => stream.events.length, patience).toBe(1);
    expect(stream.events.map(({ data }) => (data as Event).data['external_id'])).toEqual(['order-1']);
    stream.close();
    all.close();
    await server.close();
  });

  test.each([
    'type=drop.unknown',
    'type=',
    'type=drop.created&type=drop.created',
    'type=drop.created,drop.opened',
    'drop_id=1',
    'drop_id=WB-0000-0000',
    'external_id=',
    'external_id=%00',
    `external_id=${'x'.repeat(256)}`,
    'external_id=a&external_id=b',
  ])('is refused if it is %s', async (query) => {
    const owner = await exchange.account();
    for (const path of ['/events', '/events/stream']) {
      const response = await get(owner, `${path}?${query}`);
      expect([response.status, response.json().code]).toEqual([400, 'invalid_input']);
    }
  });
});
