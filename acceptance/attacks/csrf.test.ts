// Requests that a page of another site could make a browser send: with credentials, but without the token in the
// header.
import { expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import { type AttackRow, attackTable, type Victim } from '../lib/attack-table.ts';
import { Client } from '../lib/http/client.ts';
import { assertErrorResponse } from '../lib/http/expect.ts';
import { field, filePart, multipart } from '../lib/http/multipart.ts';
import { type HttpResponse, text } from '../lib/http/response.ts';

const path = ({ client }: Victim, operation: string) => `/${client.user}/cgi/${operation}`;
const wipe = { headers: { 'Content-Type': 'application/json' }, body: '[]' };

function row(name: string, send: AttackRow['send']): AttackRow {
  return { name, send, status: 403, code: 'csrf_rejected' };
}

attackTable('the token in another place', [
  row('nowhere', (v) => v.client.plain('POST', path(v, 'contacts_add.cgi'), wipe)),
  row('in the query, as csrf_token', (v) =>
    v.client.plain('POST', path(v, `contacts_add.cgi?csrf_token=${v.token}`), wipe),
  ),
  row('in the query, as CSRF-Token', (v) => v.client.plain('GET', path(v, `contacts_read.cgi?CSRF-Token=${v.token}`))),
  row('in the query, as csrftoken', (v) => v.client.plain('GET', path(v, `get_files.cgi?csrftoken=${v.token}`))),
  row('in a cookie', (v) =>
    v.client.plain('POST', path(v, 'contacts_add.cgi'), {
      ...wipe,
      headers: { ...wipe.headers, Cookie: `csrftoken=${v.token}; CSRF-Token=${v.token}` },
    }),
  ),
  row('in a JSON body', (v) =>
    v.client.plain('POST', path(v, 'createdrop.cgi'), { ...wipe, body: JSON.stringify({ csrftoken: v.token }) }),
  ),
  row('in a form', (v) => {
    const { contentType, body } = multipart([
      field('csrftoken', v.token),
      field('do', 'upload'),
      filePart({ name: 'planted.txt', content: 'planted' }),
    ]);
    return v.client.plain('POST', path(v, 'upload.cgi'), { headers: { 'Content-Type': contentType }, body });
  }),
  row('in a header of another name', (v) =>
    v.client.plain('GET', path(v, 'contacts_read.cgi'), { headers: { 'X-CSRF-Token': v.token } }),
  ),
  row('nowhere, on a GET that removes', (v) => v.client.plain('GET', path(v, 'remove_file.cgi?filename=staged.txt'))),
  row('nowhere, on a download', (v) => v.client.plain('GET', `/${v.client.user}/${v.inbox.url}/files/received.txt`)),
]);

attackTable('another token', [
  row('an empty one', (v) => v.client.contacts({ 'CSRF-Token': '' })),
  row('one without its last character', (v) => v.client.contacts({ 'CSRF-Token': v.token.slice(0, -1) })),
  row('one with a character more', (v) => v.client.contacts({ 'CSRF-Token': `${v.token}A` })),
  row('one in quotes', (v) => v.client.contacts({ 'CSRF-Token': `"${v.token}"` })),
  row('two in one header', (v) => v.client.contacts({ 'CSRF-Token': `${v.token}, ${v.token}` })),
  row('one of 10,000 characters', (v) => v.client.contacts({ 'CSRF-Token': 'A'.repeat(10_000) })),
  row('a wildcard', (v) => v.client.contacts({ 'CSRF-Token': '*' })),
  row('the one of another account', async (v) => v.client.contacts({ 'CSRF-Token': await v.sender.token() })),
]);

attackTable('a request that a browser says another site has started', [
  {
    name: 'reading',
    status: 403,
    code: 'cross_site',
    send: ({ client }) => client.contacts({ 'Sec-Fetch-Site': 'cross-site' }),
  },
  {
    name: 'writing',
    status: 403,
    code: 'cross_site',
    send: ({ client }) => client.addContacts([], { 'Sec-Fetch-Site': 'cross-site' }),
  },
]);

for (const site of ['same-origin', 'none']) {
  test(`a request that a browser calls ${site} is served`, async () => {
    const client = await freshClient('browser');
    expect((await client.contacts({ 'Sec-Fetch-Site': site })).status).toBe(200);
  });
}

test('the index page creates no token for refused credentials, and existing tokens stay valid', async () => {
  const [client, other] = await Promise.all([freshClient('minting'), freshClient('other')]);
  const tokens: string[] = [];
  for (let i = 0; i < 60; i++) tokens.push(await client.mintToken());
  const refused = [
    await new Client({ ...client.account, apiKey: 'wb_wrong' }).index(),
    await other.plain('GET', `/${client.user}/`),
  ];
  assertErrorResponse(refused[0] as HttpResponse, 401, 'unauthorized');
  assertErrorResponse(refused[1] as HttpResponse, 403, 'wrong_account');
  for (const response of refused) expect(text(response)).not.toContain('csrftoken');
  // One more token would have displaced the oldest.
  expect((await client.contacts({ 'CSRF-Token': tokens[0] ?? '' })).status).toBe(200);
});
