// Credentials that are almost right. A lenient decoder would accept most of these.
import { beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../lib/accounts.ts';
import { type AttackRow, attackTable, type Victim } from '../lib/attack-table.ts';
import { basic, Client } from '../lib/http/client.ts';
import { assertErrorResponse } from '../lib/http/expect.ts';
import { text } from '../lib/http/response.ts';

const encode = (credentials: string) => Buffer.from(credentials, 'latin1').toString('base64');
const pair = ({ client }: Victim) => `${client.user}:${client.account.apiKey}`;

function row(name: string, authorization: (victim: Victim) => string): AttackRow {
  return {
    name,
    status: 401,
    code: 'unauthorized',
    send: (victim) => victim.client.contacts({ Authorization: authorization(victim) }),
  };
}

attackTable('credentials of another form', [
  row('the key as a bearer token', ({ client }) => `Bearer ${client.account.apiKey}`),
  row('the right pair under the scheme Bearer', (v) => `Bearer ${encode(pair(v))}`),
  row('the scheme Digest', ({ client }) => `Digest username="${client.user}"`),
  row('a scheme that only begins like Basic', (v) => `Basics ${encode(pair(v))}`),
  row('the scheme without credentials', () => 'Basic'),
  row('an empty header', () => ''),
  row('credentials without a scheme', (v) => encode(pair(v))),
  row('credentials that are not encoded', (v) => `Basic ${pair(v)}`),
  row('no colon', ({ client }) => `Basic ${encode(client.user + client.account.apiKey)}`),
  row('a comma and a second pair', (v) => `Basic ${encode(pair(v))}, Basic ${encode(pair(v))}`),
  row('more than a kibibyte', (v) => `Basic ${encode(`${pair(v)}${'x'.repeat(1024)}`)}`),
]);

attackTable('credentials that are almost the right ones', [
  row('a NUL after the user', ({ client }) => basic(`${client.user}\0`, client.account.apiKey)),
  row('a NUL after the key', ({ client }) => basic(client.user, `${client.account.apiKey}\0`)),
  row('a space after the key', ({ client }) => basic(client.user, `${client.account.apiKey} `)),
  row('a line feed after the key', ({ client }) => basic(client.user, `${client.account.apiKey}\n`)),
  row('the key without its last character', ({ client }) => basic(client.user, client.account.apiKey.slice(0, -1))),
  row('the key in upper case', ({ client }) => basic(client.user, client.account.apiKey.toUpperCase())),
  row('an empty key', ({ client }) => basic(client.user, '')),
  row('an empty user', ({ client }) => basic('', client.account.apiKey)),
  row('the key of another account', ({ client, sender }) => basic(client.user, sender.account.apiKey)),
  row('a wildcard for a user', ({ client }) => basic('%', client.account.apiKey)),
  row('SQL in the user', ({ client }) => basic(`${client.user}' OR '1'='1`, client.account.apiKey)),
  row('SQL in the key', ({ client }) => basic(client.user, "' OR '1'='1")),
  row('spaces inside the base64', (v) => `Basic ${encode(pair(v)).replace(/^(.{8})/, '$1 ')}`),
  row('something behind the base64', (v) => `Basic ${encode(pair(v))}====`),
]);

describe('base64 that is not canonical', () => {
  let client: Client;

  beforeAll(async () => {
    // The test needs padding in order to break it, so the length of the pair must not be a multiple of three.
    for (const label of ['pad', 'padd', 'paddd']) {
      client = new Client(await createAccount(label));
      if (client.authorization.endsWith('=')) return;
    }
    throw new Error('no credentials with padding');
  });

  test('the same credentials with their padding are accepted', async () => {
    expect((await client.contacts()).status).toBe(200);
  });

  test('missing padding is refused', async () => {
    const response = await client.contacts({ Authorization: client.authorization.replace(/=+$/, '') });
    assertErrorResponse(response, 401, 'unauthorized');
  });

  test('bits set behind the last byte are refused', async () => {
    const altered = client.authorization.replace(/(.)(=+)$/, (_, last: string, padding: string) => {
      // Before padding, the last letter's low bits are zero, so the next letter of the alphabet differs only in them.
      return `${String.fromCharCode(last.charCodeAt(0) + 1)}${padding}`;
    });
    // A lenient decoder would read the same bytes.
    const decoded = (value: string) => Buffer.from(value.slice('Basic '.length), 'base64').toString();
    expect(altered).not.toBe(client.authorization);
    expect(decoded(altered)).toBe(decoded(client.authorization));
    assertErrorResponse(await client.contacts({ Authorization: altered }), 401, 'unauthorized');
  });
});

test('a refusal reveals nothing about the account', async () => {
  const account = await createAccount('refused');
  const responses = await Promise.all([
    new Client({ ...account, apiKey: 'wb_wrong' }).index(),
    new Client({ ...account, apiKey: '' }).index(),
    new Client({ ...account, user: 'nobody-at-all@example.org' }).index(),
  ]);
  for (const response of responses) assertErrorResponse(response, 401, 'unauthorized');
  expect(new Set(responses.map(text)).size).toBe(1);
});
