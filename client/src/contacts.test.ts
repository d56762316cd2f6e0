import { expect, test } from 'vitest';
import { fail, succeed, WireServer } from './testing/wire-server.ts';
import type { Contact } from './wire.ts';

function contact(email: string, fields: Partial<Contact> = {}): Contact {
  return { email, number: '', language: '', groups: [], nick: '', ...fields };
}

/** An account's list as the server keeps it. `meddle` is called before each write is looked at. */
async function listServer(initial: Contact[], meddle: (list: Contact[], write: number) => Contact[] = (list) => list) {
  const state = { list: initial, version: 1, writes: 0, loseAnswers: 0 };
  const server = await WireServer.start(({ method, headers, body }, response, request) => {
    if (method === 'GET') {
      succeed(response, { local: state.list, global: [] }, { ETag: `"${state.version}"` });
      return;
    }
    state.writes += 1;
    const meddled = meddle(state.list, state.writes);
    if (meddled !== state.list) state.version += 1;
    state.list = meddled;
    expect(headers['prefer']).toBe('handling=lenient');
    if (headers['if-match'] !== `"${state.version}"`) {
      fail(response, 412, 'precondition_failed');
      return;
    }
    state.list = (JSON.parse(body.toString()) as Contact[]).map((each) => contact(each.email, each));
    state.version += 1;
    if (state.loseAnswers > 0) {
      state.loseAnswers -= 1;
      request.socket.destroy();
    } else succeed(response, { status: 'ok' });
  });
  return { server, state };
}

test('upsert adds what is missing, changes the fields that are given and keeps all others', async () => {
  const { server, state } = await listServer([
    contact('a@example.org', { nick: 'A', groups: ['x'], number: '46700000001' }),
    contact('b@example.org', { nick: 'B' }),
  ]);
  await using _server = server;
  await server.client().contacts.upsert([{ email: 'A@Example.org', nick: 'Anna' }, 'c@bücher.example']);
  expect(state.list).toEqual([
    contact('a@example.org', { nick: 'Anna', groups: ['x'], number: '46700000001' }),
    contact('b@example.org', { nick: 'B' }),
    contact('c@xn--bcher-kva.example'),
  ]);
});

test('an upsert that changes nothing writes nothing', async () => {
  const { server, state } = await listServer([contact('a@example.org', { nick: 'A', number: '46700000001' })]);
  await using _server = server;
  await server.client().contacts.upsert([{ email: 'a@example.org', nick: 'A', number: 46700000001 }]);
  expect(state.writes).toBe(0);
});

test('a change of another writer in between is kept', async () => {
  const { server, state } = await listServer([contact('a@example.org')], (list, write) =>
    write <= 3 ? [...list, contact(`other-${write}@example.org`)] : list,
  );
  await using _server = server;
  await server.client().contacts.add(['mine@example.org']);
  expect(state.list.map(({ email }) => email)).toEqual([
    'a@example.org',
    'other-1@example.org',
    'other-2@example.org',
    'other-3@example.org',
    'mine@example.org',
  ]);
});

test('adding a contact that is there fails and changes nothing', async () => {
  const { server, state } = await listServer([contact('a@example.org')]);
  await using _server = server;
  const adding = server.client().contacts.add(['b@example.org', 'A@example.org']);
  await expect(adding).rejects.toMatchObject({ code: 'contact_exists' });
  await expect(server.client().contacts.add(['c@example.org', 'C@example.org'])).rejects.toThrow('twice');
  expect(state).toMatchObject({ writes: 0, list: [contact('a@example.org')] });
});

test('an addition whose answer was lost is recognised as done', async () => {
  const { server, state } = await listServer([]);
  await using _server = server;
  state.loseAnswers = 1;
  await server.client().contacts.add([{ email: 'a@example.org', nick: 'A', name: 'not kept' }]);
  expect(state.list).toEqual([contact('a@example.org', { nick: 'A' })]);
});

test('remove takes away those named, and tells how many there were', async () => {
  const { server, state } = await listServer([contact('a@example.org'), contact('b@example.org')]);
  await using _server = server;
  expect(await server.client().contacts.remove(['A@example.org', 'nobody@example.org'])).toBe(1);
  expect(await server.client().contacts.remove(['nobody@example.org'])).toBe(0);
  expect(state).toMatchObject({ writes: 1, list: [contact('b@example.org')] });
});
