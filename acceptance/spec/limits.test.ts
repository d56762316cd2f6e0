// docs/api.md#limits: a request at the limit works; one beyond it is refused and changes nothing.
import { expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import { assertErrorResponse, assertStatus } from '../lib/http/expect.ts';
import type { ContactInput } from '../lib/http/shapes.ts';
import { introduce, stage } from '../lib/scenario.ts';

const people = (count: number): ContactInput[] =>
  Array.from({ length: count }, (_, i) => ({ email: `person-${i}@example.org` }));

test('an account has up to 10,000 contacts', async () => {
  const client = await freshClient('contacts');
  assertErrorResponse(await client.addContacts(people(10_001)), 400, 'invalid_input');
  expect((await client.readContacts()).local).toEqual([]);
  assertStatus(await client.addContacts(people(10_000)), 'ok');
  expect((await client.readContacts()).local).toHaveLength(10_000);
});

test('a dispatch has up to 1,000 receivers', async () => {
  const client = await freshClient('receivers');
  assertStatus(await client.addContacts(people(1_001)), 'ok');
  assertErrorResponse(await client.setReceivers(people(1_001)), 400, 'invalid_input');
  assertStatus(await client.setReceivers(people(1_000)), 'ok');
});

test('an upload has up to 100 files', async () => {
  const client = await freshClient('upload');
  const files = Array.from({ length: 101 }, (_, i) => ({ name: `file-${i}`, content: String(i) }));
  assertErrorResponse(await client.upload(...files), [400, 413], ['too_large', 'malformed_request', 'invalid_input']);
  expect(await client.readFiles()).toEqual([]);
  assertStatus(await client.upload(...files.slice(1)), 'done');
  expect(await client.readFiles()).toHaveLength(100);
});

test('a draft has up to 1,000 files, and one of them can be replaced', async () => {
  const client = await freshClient('draft');
  for (let batch = 0; batch < 10; batch++) {
    const files = Array.from({ length: 100 }, (_, i) => ({ name: `file-${batch}-${i}`, content: 'x' }));
    assertStatus(await client.upload(...files), 'done');
  }
  assertErrorResponse(await client.upload({ name: 'one-more', content: 'x' }), 409, 'too_many_files');
  assertStatus(await client.upload({ name: 'file-0-0', content: 'again' }), 'done');
  const files = await client.readFiles();
  expect(files).toHaveLength(1_000);
  expect(files.map(({ name }) => name)).not.toContain('one-more');
}, 180_000);

test('a message has up to 20,000 characters', async () => {
  const client = await freshClient('message');
  await introduce(client, ['a@example.org']);
  await stage(client, { to: ['a@example.org'], files: [{ name: 'a.txt', content: 'a' }] });
  assertErrorResponse(await client.createDrop({ ddmessage: 'm'.repeat(20_001) }), 400, 'invalid_input');
  assertStatus(await client.createDrop({ ddmessage: 'm'.repeat(20_000) }), 'ok');
});

test('a JSON body has up to a mebibyte, and a list of contacts up to eight', async () => {
  const client = await freshClient('json');
  const padding = (bytes: number) => ' '.repeat(bytes);
  const beyond = 1024 * 1024 + 1;
  assertErrorResponse(await client.post('cgi/createdrop.cgi', `{}${padding(beyond)}`), 413, 'too_large');
  assertErrorResponse(await client.post('cgi/receivers_set.cgi', `[]${padding(beyond)}`), 413, 'too_large');
  assertStatus(await client.post('cgi/contacts_add.cgi', `[]${padding(beyond)}`), 'ok');
  assertErrorResponse(await client.post('cgi/contacts_add.cgi', `[]${padding(8 * beyond)}`), 413, 'too_large');
});

const fields: [field: string, max: Partial<ContactInput>, beyond: Partial<ContactInput>][] = [
  ['number', { number: '123456789012345' }, { number: '1234567890123456' }],
  ['language', { language: `en${'-abcdefg'.repeat(4)}h` }, { language: `en${'-abcdefg'.repeat(4)}-h` }],
  [
    'groups',
    { groups: Array.from({ length: 50 }, (_, i) => `g${i}`) },
    { groups: Array.from({ length: 51 }, (_, i) => `g${i}`) },
  ],
  ['name of a group', { groups: ['g'.repeat(100)] }, { groups: ['g'.repeat(101)] }],
  ['nick', { nick: 'n'.repeat(200) }, { nick: 'n'.repeat(201) }],
];
for (const [field, max, beyond] of fields) {
  test(`a contact has a bounded ${field}`, async () => {
    const client = await freshClient('bounded');
    const contact = (extra: Partial<ContactInput>): ContactInput => ({ email: 'a@example.org', ...extra });
    assertErrorResponse(await client.addContacts([contact(beyond)]), 400, 'invalid_input');
    expect((await client.readContacts()).local).toEqual([]);
    assertStatus(await client.addContacts([contact(max)]), 'ok');
    expect((await client.readContacts()).local).toEqual([expect.objectContaining(max)]);
  });
}
