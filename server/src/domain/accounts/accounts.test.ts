import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openTestPool } from '../../../test/database.ts';
import { useTestExchange } from '../../../test/exchange.ts';
import { openDatabase } from '../../engines/postgres/database.ts';
import { postgresStore } from '../../engines/postgres/store.ts';
import type { Account } from './account-store.ts';
import { newApiKey } from './api-key.ts';
import { authenticate } from './authenticate.ts';
import { createAccount, setAccountDisabled } from './change-account.ts';
import { createKey, revokeKey } from './change-keys.ts';
import { findAccount } from './read-accounts.ts';

const exchange = await useTestExchange();
const { engines } = exchange;

async function newAccount(): Promise<{ account: Account; apiKey: string; keyId: string }> {
  const email = `${randomUUID()}@example.org`;
  const made = await createAccount(engines, { email, phone: '46701234567', type: 'api', language: 'sv' });
  const [key] = await engines.store.accounts.keys(made.account.id);
  return { ...made, keyId: key?.id as string };
}

const address = '192.0.2.7';
const unauthorized = { code: 'unauthorized' };
const invalid = { code: 'invalid_input' };

describe('an account', () => {
  test('is made with a key that works at once', async () => {
    const { account, apiKey } = await newAccount();
    expect(account).toMatchObject({ phone: '46701234567', type: 'api', language: 'sv', disabled: false });
    expect(await authenticate(engines, account.email, apiKey, address)).toMatchObject({
      accountId: account.id,
      email: account.email,
      key: { scopes: null },
    });
  });

  test('can use its key while the database only reads, although its use is due to be recorded', async () => {
    const { account, apiKey } = await newAccount();
    const url = new URL(exchange.database.url);
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    const pool = openTestPool(url.href);
    const store = postgresStore(openDatabase(pool));
    await expect(store.accounts.recordKeyUse(account.id, randomUUID())).rejects.toMatchObject({ code: 'unavailable' });
    expect(await authenticate({ ...engines, store }, account.email, apiKey, address)).toMatchObject({
      accountId: account.id,
    });
    await pool.end();
  });

  test('keeps its address in one form, and that form only once', async () => {
    const name = randomUUID();
    const { account } = await createAccount(engines, {
      email: `${name.toUpperCase()}@Example.ORG`,
      phone: '46701234567',
      type: 'user',
    });
    expect(account.email).toBe(`${name}@example.org`);
    const again = createAccount(engines, { email: `${name}@EXAMPLE.org`, phone: '46701234567', type: 'api' });
    await expect(again).rejects.toMatchObject(invalid);
    expect(await findAccount(engines, `${name}@EXAMPLE.ORG`)).toEqual(account);
  });

  test('is made once when asked for by many at once', async () => {
    const input = { email: `${randomUUID()}@example.org`, phone: '46701234567', type: 'api' } as const;
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => createAccount(engines, input)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { id } = await findAccount(engines, input.email);
    expect(await engines.store.accounts.keys(id)).toHaveLength(1);
  });

  test.each([
    { email: 'not an address', phone: '46701234567' },
    { email: 'a@example.org', phone: '+46701234567' },
  ])('is not made of $email and $number', async (input) => {
    await expect(createAccount(engines, { ...input, type: 'api' })).rejects.toMatchObject(invalid);
  });

  test('that is not there is not found', async () => {
    await expect(findAccount(engines, 'nobody@example.org')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('is let in no more once disabled, and again once enabled', async () => {
    const { account, apiKey } = await newAccount();
    await setAccountDisabled(engines, account, true);
    await expect(authenticate(engines, account.email, apiKey, address)).rejects.toMatchObject(unauthorized);
    expect(await findAccount(engines, account.email)).toMatchObject({ disabled: true });
    await setAccountDisabled(engines, account, false);
    await expect(authenticate(engines, account.email, apiKey, address)).resolves.toMatchObject({
      accountId: account.id,
    });
  });
});

describe('a key', () => {
  test('is refused when it is another’s, unknown, or not of a key’s form', async () => {
    const [one, other] = [await newAccount(), await newAccount()];
    for (const key of [other.apiKey, newApiKey(engines.random), '', 'wb_', `${one.apiKey}x`]) {
      await expect(authenticate(engines, one.account.email, key, address)).rejects.toMatchObject(unauthorized);
    }
    await expect(authenticate(engines, 'nobody@example.org', one.apiKey, address)).rejects.toMatchObject(unauthorized);
  });

  test('is known for its own account among many who ask at once', async () => {
    const many = await Promise.all(Array.from({ length: 30 }, newAccount));
    const asked = many.flatMap(({ account, apiKey }, index) => [
      authenticate(engines, account.email, apiKey, address).then(({ accountId }) => accountId === account.id),
      authenticate(engines, account.email, many[(index + 1) % many.length]?.apiKey ?? '', address).then(
        () => 'let in with another’s key',
        () => true,
      ),
    ]);
    expect(new Set(await Promise.all(asked))).toEqual(new Set([true]));
  });

  test('is refused from the moment it is revoked, although others are being let in', async () => {
    const [one, other] = [await newAccount(), await newAccount()];
    const crowd = Array.from({ length: 20 }, () => authenticate(engines, other.account.email, other.apiKey, address));
    await revokeKey(engines, one.account, { keyId: one.keyId }, engines.administrator);
    await expect(authenticate(engines, one.account.email, one.apiKey, address)).rejects.toMatchObject(unauthorized);
    await Promise.all(crowd);
  });

  test('is refused under another pepper', async () => {
    const { account, apiKey } = await newAccount();
    const elsewhere = { ...engines, pepper: Buffer.alloc(32) };
    await expect(authenticate(elsewhere, account.email, apiKey, address)).rejects.toMatchObject(unauthorized);
  });

  test('works beside a second one, and a third is refused', async () => {
    const { account, apiKey } = await newAccount();
    const second = await createKey(engines, account);
    for (const key of [apiKey, second.apiKey]) await authenticate(engines, account.email, key, address);
    await expect(createKey(engines, account)).rejects.toMatchObject(invalid);
  });

  test('is one of two, also when many are asked for at once', async () => {
    const { account } = await newAccount();
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => createKey(engines, account)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('stops working when it is revoked, and makes room for another', async () => {
    const { account, apiKey, keyId } = await newAccount();
    const second = await createKey(engines, account);
    await revokeKey(engines, account, { keyId }, engines.administrator);
    await expect(authenticate(engines, account.email, apiKey, address)).rejects.toMatchObject(unauthorized);
    await authenticate(engines, account.email, second.apiKey, address);
    const third = await createKey(engines, account);
    await authenticate(engines, account.email, third.apiKey, address);
  });

  test('is found live however many have been revoked since', async () => {
    const { account } = await newAccount();
    await exchange.database.query(
      `insert into api_keys (account_id, id, hint, digest, created_at, revoked_at)
       select $1, gen_random_uuid(), '', sha256(gen_random_uuid()::text::bytea), now() + interval '1 hour', now() + interval '1 hour' from generate_series(1, 150)`,
      [account.id],
    );
    await createKey(engines, account);
    await expect(createKey(engines, account)).rejects.toMatchObject(invalid);
  });

  test('is revoked once, and only as its account’s', async () => {
    const [one, other] = [await newAccount(), await newAccount()];
    await expect(revokeKey(engines, other.account, { keyId: one.keyId }, engines.administrator)).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(revokeKey(engines, one.account, { keyId: 'no uuid' }, engines.administrator)).rejects.toMatchObject({
      code: 'not_found',
    });
    await revokeKey(engines, one.account, { keyId: one.keyId }, engines.administrator);
    await expect(revokeKey(engines, one.account, { keyId: one.keyId }, engines.administrator)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('is in the database only as a digest and a hint', async () => {
    const { account, apiKey } = await newAccount();
    const rows = await exchange.database.query('select * from api_keys where account_id = $1', [account.id]);
    const audit = await exchange.database.query('select * from audit_entries where account_id = $1', [account.id]);
    expect(JSON.stringify([rows, audit])).not.toContain(apiKey.slice(7));
  });
});

test('every change is in the audit log, and a refused one is not', async () => {
  const { account, keyId } = await newAccount();
  await createKey(engines, account);
  await createKey(engines, account).catch(() => undefined);
  await revokeKey(engines, account, { keyId }, engines.administrator);
  await setAccountDisabled(engines, account, true);
  await setAccountDisabled(engines, account, false);
  const entries = await exchange.database.query<{ action: string }>(
    'select action from audit_entries where account_id = $1 order by at',
    [account.id],
  );
  expect(entries.map(({ action }) => action)).toEqual([
    'account.created',
    'key.created',
    'key.revoked',
    'account.disabled',
    'account.enabled',
  ]);
});
