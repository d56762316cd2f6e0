import { expect, test } from 'vitest';
import { signInMember } from '../../../../test/sign-in-member.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import { authenticateBearer } from '../../../domain/accounts/authenticate.ts';

const { exchange, app } = await useTestServer();
const { engines } = exchange;
const { query } = exchange.database;
const readSecret = (body: string) => /wb_[\w-]{20,}/.exec(body)?.[0] ?? '';

async function openKeys() {
  const joined = await signInMember(exchange, app, 'owner');
  const keys = `${joined.base}settings/keys`;
  return { ...joined, keys, accountId: joined.account.accountId };
}

test('an owner makes a key, which is shown once, works within its limits, and can be revoked', async () => {
  const { browser, keys, accountId, person } = await openKeys();
  const fields = { name: 'ERP export', scope: 'send', networks: '192.0.2.0/24\n2001:db8::/32', expires: '2099-01-31' };
  const created = await browser.post(keys, fields);
  const secret = readSecret(created.body);
  expect(created.statusCode).toBe(200);
  expect((await browser.get(keys)).body).not.toContain(secret);
  const actor = await authenticateBearer(engines, secret, '192.0.2.7');
  expect(actor).toMatchObject({ accountId, key: { scopes: ['send'], expiresAt: new Date('2099-01-31T23:59:59Z') } });
  await expect(authenticateBearer(engines, secret, '198.51.100.1')).rejects.toMatchObject({
    code: 'network_not_allowed',
  });
  const [entry] = await query(
    "select author_kind, author_id from audit_entries where account_id = $1 and action = 'key.created' and author_kind = 'person'",
    [accountId],
  );
  expect(entry).toEqual({ author_kind: 'person', author_id: person.id });
  const revoked = await browser.post(`${keys}/revoke`, { id: actor.key.id });
  expect(revoked.headers.location).toBe(`${keys}?notice=key_revoked#keys`);
  await expect(authenticateBearer(engines, secret, '192.0.2.7')).rejects.toMatchObject({ code: 'unauthorized' });
});

test('a form that is not understood makes no key, and says what is wrong', async () => {
  const { browser, keys, accountId } = await openKeys();
  const before = await engines.store.accounts.keys(accountId);
  const right = { name: 'ERP', scope: 'send' };
  const wrong = [
    { ...right, name: ' ' },
    { name: 'ERP' },
    { name: 'ERP', scope: 'everything' },
    { ...right, networks: 'the office' },
    { ...right, expires: '2020-01-01' },
    { ...right, expires: 'tomorrow' },
  ];
  for (const fields of wrong) {
    const refused = await browser.post(keys, fields);
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('field-problem');
  }
  expect(await engines.store.accounts.keys(accountId)).toHaveLength(before.length);
});

test('an account has at most two keys for everything', async () => {
  const { browser, keys, accountId } = await openKeys();
  const statuses: number[] = [];
  while (statuses.length < 3) statuses.push((await browser.post(keys, { name: 'all', all: 'on' })).statusCode);
  // The account was made with one.
  expect(statuses).toEqual([200, 400, 400]);
  const live = (await engines.store.accounts.keys(accountId)).filter((key) => key.isLive && key.scopes === null);
  expect(live).toHaveLength(2);
});

test('a key of another account cannot be revoked', async () => {
  const { browser, keys } = await openKeys();
  const { account } = await openKeys();
  const [key] = await engines.store.accounts.keys(account.accountId);
  expect((await browser.post(`${keys}/revoke`, { id: key?.id ?? '' })).statusCode).toBe(404);
  expect((await browser.post(`${keys}/revoke`, { id: 'x' })).statusCode).toBe(404);
});
