import { expect, test } from 'vitest';
import type { ImportedContact } from '../generated/wire.ts';
import { collect } from '../testing/collect.ts';
import { refuse, succeed, WireServer } from '../testing/wire-server.ts';

const anna = { email: 'anna@example.org', name: 'Anna', phone: '', language: 'sv', groups: ['a'], list: 'local' };

const addresses = (count: number) => Array.from({ length: count }, (_, index) => ({ email: `p${index}@example.org` }));

/** Imports contacts as the server does, and records every request. Contacts with a known address are changed. */
async function importServer(known: readonly string[]) {
  const requests: { path: string; contacts: ImportedContact[] }[] = [];
  const server = await WireServer.start(({ path, body }, response) => {
    const { contacts } = JSON.parse(body.toString()) as { contacts: ImportedContact[] };
    requests.push({ path, contacts });
    const wrong = contacts.findIndex(({ phone }) => phone === 'wrong');
    if (wrong >= 0) {
      const errors = [{ pointer: `/contacts/${wrong}/phone`, code: 'invalid_input', detail: 'No phone.' }];
      return refuse(response, 400, 'invalid_input', { errors });
    }
    const results = contacts.map(({ email }) => ({ email, result: known.includes(email) ? 'changed' : 'created' }));
    succeed(response, { contacts: results });
  });
  return { server, requests };
}

test('contacts are listed page by page, with a filter', async () => {
  const bo = { ...anna, email: 'bo@example.org' };
  await using server = await WireServer.start(({ path }, response) =>
    succeed(
      response,
      path.includes('cursor') ? { data: [bo], next_cursor: null } : { data: [anna], next_cursor: 'next' },
    ),
  );
  expect(await collect(server.client().contacts.list({ search: 'a b', list: 'local' }))).toEqual([anna, bo]);
  expect(server.paths()).toEqual([
    'GET contacts?limit=100&search=a+b&list=local',
    'GET contacts?limit=100&search=a+b&list=local&cursor=next',
  ]);
});

test('a contact is read, replaced and removed by its address', async () => {
  await using server = await WireServer.start(({ method }, response) =>
    method === 'DELETE' ? void response.writeHead(204).end() : succeed(response, anna),
  );
  const { contacts } = server.client();
  expect(await contacts.get('anna@example.org')).toEqual(anna);
  expect(await contacts.put('a/b@example.org', { name: 'Anna' })).toEqual(anna);
  await contacts.delete('anna@example.org');
  expect(server.requests.map(({ method, path, body }) => `${method} ${path} ${body.toString()}`)).toEqual([
    'GET contacts/anna%40example.org ',
    'PUT contacts/a%2Fb%40example.org {"name":"Anna"}',
    'DELETE contacts/anna%40example.org ',
  ]);
});

test('an import is sent in batches of 1,000, and returns the changes', async () => {
  const { server, requests } = await importServer(['p3@example.org', 'p2000@example.org']);
  await using _server = server;
  const all = addresses(2_001);
  const { created, changed, unchanged } = await server.client().contacts.import(all);
  expect(requests.map(({ path, contacts }) => [path, contacts.length])).toEqual([
    ['contacts/import', 1_000],
    ['contacts/import', 1_000],
    ['contacts/import', 1],
  ]);
  expect(requests.flatMap(({ contacts }) => contacts)).toEqual(all);
  expect(changed).toEqual([all[3], all[2_000]]);
  expect([created.length, unchanged.length]).toEqual([1_999, 0]);
  expect(new Set(server.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(3);
});

test('a check of an import changes nothing, and its faults point to positions in the whole list', async () => {
  const { server, requests } = await importServer([]);
  await using _server = server;
  const some = [...addresses(1_002), { email: 'q@example.org', phone: 'wrong' }];
  await expect(server.client().contacts.checkImport(some)).rejects.toMatchObject({
    code: 'invalid_input',
    status: 400,
    instance: 'urn:waybill:http-request:request-1',
    faults: [{ pointer: '/contacts/1002/phone' }],
  });
  expect(new Set(requests.map(({ path }) => path))).toEqual(new Set(['contacts/import/check']));
});
