// docs/api.md#authentication: the administrator creates and removes accounts and keys.
import { describe, expect, test } from 'vitest';
import { createAccount, freshClient, uniqueAddress } from '../lib/accounts.ts';
import { Client } from '../lib/http/client.ts';
import { assertErrorResponse } from '../lib/http/expect.ts';
import { header, text } from '../lib/http/response.ts';
import { admin, adminJson } from '../lib/servers/admin.ts';
import { query } from '../lib/servers/exchange-internals.ts';

interface CreatedAccount {
  account: { email: string; phone: string; type: string; disabled: boolean };
  api_key: string;
}

const create = (email: string, number: string) => ['accounts', 'create', '--email', email, '--phone', number, '--json'];

describe('creating an account', () => {
  test('takes an address and a number, and gives a key that opens the index page', async () => {
    const email = uniqueAddress('created');
    const created = await adminJson<CreatedAccount>(create(email, '46701234567'));
    const choices = { second_factor: 'default', receipts: true, attach_receipts: false, reminders: true };
    expect(created.account).toEqual({
      email,
      name: '',
      phone: '46701234567',
      type: 'api',
      disabled: false,
      ...choices,
    });
    expect(created.api_key).toMatch(/^wb_\S{40,}$/);
    const client = new Client({ user: email, apiKey: created.api_key, number: '46701234567' });
    expect((await client.index()).status).toBe(200);
  });

  test('demands both the address and the number', async () => {
    const email = uniqueAddress('half');
    expect((await admin(['accounts', 'create', '--email', email, '--json'])).exitCode).not.toBe(0);
    expect((await admin(['accounts', 'create', '--phone', '46701234567', '--json'])).exitCode).not.toBe(0);
    expect(await query('select from accounts where email = $1', [email])).toEqual([]);
  });

  // Every form that is refused: server/src/domain/contacts/phone-number.test.ts.
  for (const number of ['123456', '1234567890123456', '+46701234567']) {
    test(`refuses the number ${number}`, async () => {
      const email = uniqueAddress('number');
      const { exitCode, stderr } = await admin(create(email, number));
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/number/);
      expect(await query('select from accounts where email = $1', [email])).toEqual([]);
    });
  }

  for (const number of ['1234567', '123456789012345']) {
    test(`takes the number ${number}, which no telephone has`, async () => {
      const created = await adminJson<CreatedAccount>(create(uniqueAddress('number'), number));
      expect(created.account.phone).toBe(number);
    });
  }

  test('writes the address in lower case', async () => {
    const email = uniqueAddress('case');
    const created = await adminJson<CreatedAccount>(create(email.toUpperCase(), '46701234567'));
    expect(created.account.email).toBe(email);
  });

  test('refuses an address that has an account', async () => {
    const { user } = await createAccount('twice');
    expect((await admin(create(user, '46701234567'))).exitCode).not.toBe(0);
  });
});

describe('API keys', () => {
  test('are two at most, so that one can be changed without a pause', async () => {
    const client = await freshClient('rotation');
    const second = await adminJson<{ id: string; api_key: string }>([
      'api-keys',
      'create',
      '--email',
      client.user,
      '--json',
    ]);
    const withSecond = new Client({ ...client.account, apiKey: second.api_key });
    expect((await client.index()).status).toBe(200);
    expect((await withSecond.index()).status).toBe(200);

    const third = await admin(['api-keys', 'create', '--email', client.user, '--json']);
    expect(third.exitCode).toBe(1);
    expect(third.stderr).toMatch(/revoke/i);
  });

  test('are refused from the moment they are revoked', async () => {
    const client = await freshClient('revoked');
    const second = await adminJson<{ id: string; api_key: string }>([
      'api-keys',
      'create',
      '--email',
      client.user,
      '--json',
    ]);
    const withSecond = new Client({ ...client.account, apiKey: second.api_key });
    expect((await withSecond.contacts()).status).toBe(200);
    expect((await admin(['api-keys', 'revoke', '--email', client.user, '--id', second.id])).exitCode).toBe(0);
    // Both processes have just seen this key; neither may remember it.
    for (let i = 0; i < 4; i++) assertErrorResponse(await withSecond.contacts(), 401, 'unauthorized');
    expect((await client.contacts()).status).toBe(200);
  });

  test('are listed without the key itself', async () => {
    const client = await freshClient('listed');
    const listed = await admin(['api-keys', 'list', '--email', client.user, '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ state: 'live', name: '', scopes: null, networks: null }]);
    expect(listed.stdout).not.toContain(client.account.apiKey);
  });
});

test('a disabled account gets the response of a wrong key, and works again when enabled', async () => {
  const client = await freshClient('disabled');
  await client.token();
  const wrongKey = new Client({ ...client.account, apiKey: `${client.account.apiKey}x` });
  expect((await admin(['accounts', 'disable', '--email', client.user])).exitCode).toBe(0);
  const [disabled, wrong] = [await client.index(), await wrongKey.index()];
  assertErrorResponse(disabled, 401, 'unauthorized');
  expect(text(disabled)).toBe(text(wrong));
  expect(header(disabled, 'WWW-Authenticate')).toBe(header(wrong, 'WWW-Authenticate'));
  assertErrorResponse(await client.contacts(), 401, 'unauthorized');
  expect((await admin(['accounts', 'enable', '--email', client.user])).exitCode).toBe(0);
  expect((await client.index()).status).toBe(200);
});
