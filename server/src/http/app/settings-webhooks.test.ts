import { expect, test } from 'vitest';
import { signInMember } from '../../testing/sign-in-member.ts';
import { useTestServer } from '../../testing/use-test-server.ts';

const { exchange, app } = await useTestServer();
const { engines } = exchange;
const { query } = exchange.database;
const url = 'https://erp.example.org/hooks';

async function openWebhooks() {
  const joined = await signInMember(exchange, app, 'owner');
  const { accountId } = joined.account;
  const path = `${joined.base}settings/webhooks`;
  const list = () => engines.store.webhooks.list(accountId, 20);
  const post = (name: string, fields: Record<string, string>) => joined.browser.post(`${path}${name}`, fields);
  return { ...joined, accountId, path, list, post };
}

test('an owner makes a webhook, whose secret is shown once, changes it and removes it', async () => {
  const { browser, path, list, post, accountId } = await openWebhooks();
  const created = await post('', { url, type: 'drop.completed', description: 'ERP' });
  const [webhook] = await list();
  expect(webhook).toMatchObject({ url, types: ['drop.completed'], scopes: null, createdBy: null });
  const { id = '', salt = Buffer.alloc(0) } = webhook ?? {};
  const secret = engines.webhookSecrets.deriveSecret({ accountId, webhookId: id, salt });
  expect(created.body).toContain(secret);
  for (const page of [path, `${path}/${id}`]) expect((await browser.get(page)).body).not.toContain('whsec_');
  const saved = await post('/change', { id, url: `${url}/2`, description: '' });
  expect(saved.headers.location).toBe(`${path}/${id}?notice=webhook_saved#webhooks`);
  expect(await list()).toMatchObject([{ url: `${url}/2`, types: null }]);
  expect((await post('/secret', { id })).body).toContain('whsec_');
  await post('/disable', { id });
  expect(await list()).toMatchObject([{ disabled: { reason: 'owner' } }]);
  await post('/enable', { id });
  expect(await list()).toMatchObject([{ disabled: null }]);
  await post('/remove', { id });
  expect(await list()).toEqual([]);
  const actions = await query(
    "select action, author_kind from audit_entries where account_id = $1 and action like 'webhook.%' order by id",
    [accountId],
  );
  const expected = ['created', 'changed', 'secret_replaced', 'disabled', 'enabled', 'removed'];
  expect(actions).toEqual(expected.map((action) => ({ action: `webhook.${action}`, author_kind: 'person' })));
});

test('an address that this server must not call is refused', async () => {
  const { list, post } = await openWebhooks();
  const refused = await post('', { url: 'http://169.254.169.254/' });
  expect(refused.statusCode).toBe(400);
  expect(refused.body).toContain('169.254.169.254');
  expect(await list()).toEqual([]);
});

test('the page of a webhook lists its attempts, and sends events again', async () => {
  const { browser, path, list, post, accountId } = await openWebhooks();
  await post('', { url });
  const [{ id } = { id: '' }] = await list();
  expect((await post('/test', { id })).headers.location).toContain('notice=test_sent');
  const waiting = await query('select 1 from webhook_deliveries where webhook_id = $1', [id]);
  expect(waiting).toHaveLength(1);
  const attempt = { id: engines.random.uuid(), eventId: engines.random.uuid(), type: 'drop.completed', attempt: 2 };
  const result = { status: null, failure: 'timeout', durationMs: 10_000 } as const;
  await engines.store.webhookDeliveries.record(accountId, id, { ...attempt, ...result }, 'abandoned');
  const page = await browser.get(`${path}/${id}`);
  expect(page.body).toContain('drop.completed');
  expect(page.body).toContain('No response in time');
  expect((await post('/replay', { id, event: attempt.eventId })).statusCode, 'not kept any more').toBe(404);
  await engines.store.events.append([{ accountId, type: 'contact.changed', data: { contacts: 1 } }]);
  const [kept] = await query<{ id: string }>(
    "select id from events where account_id = $1 and type = 'contact.changed'",
    [accountId],
  );
  const replayed = await post('/replay', { id, event: kept?.id ?? '' });
  expect(replayed.headers.location).toContain('notice=event_replayed');
});

test('a webhook of another account does not exist', async () => {
  const own = await openWebhooks();
  const other = await openWebhooks();
  await other.post('', { url });
  const [{ id } = { id: '' }] = await other.list();
  expect((await own.browser.get(`${own.path}/${id}`)).statusCode).toBe(404);
  for (const name of ['change', 'secret', 'remove', 'enable', 'disable', 'test']) {
    expect((await own.post(`/${name}`, { id, url })).statusCode, name).toBe(404);
  }
});
