import { expect, test } from 'vitest';
import { signInMember } from '../../../../test/sign-in-member.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';

const { exchange, app } = await useTestServer();
const { engines } = exchange;
const { query } = exchange.database;
const url = 'https://erp.example.org/hooks';

/** The version that the form was made from. */
const readVersion = (body: string) => /name="version" value="(\d+)"/.exec(body)?.[1] ?? '';

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
  const version = String(webhook?.version);
  const saved = await post('/change', { id, version, url: `${url}/2`, description: '' });
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
  const expected = ['created', 'changed', 'secret_replaced', 'disabled', 'enabled', 'deleted'];
  expect(actions).toEqual(expected.map((action) => ({ action: `webhook.${action}`, author_kind: 'person' })));
});

test('a form that another owner has overtaken changes nothing, and the page shows how it is now', async () => {
  const { browser, path, list, post } = await openWebhooks();
  await post('', { url });
  const [{ id } = { id: '' }] = await list();
  const version = readVersion((await browser.get(`${path}/${id}`)).body);
  await post('/change', { id, version, url: `${url}/theirs`, type: 'drop.completed' });
  const late = await post('/change', { id, version, url: `${url}/mine` });
  expect(late.statusCode).toBe(409);
  expect(late.body).toContain('Somebody else has changed it meanwhile.');
  expect(late.body).toContain(`value="${url}/theirs"`);
  expect(late.body).not.toContain('/mine');
  expect(await list()).toMatchObject([{ url: `${url}/theirs`, types: ['drop.completed'] }]);
  const again = await post('/change', { id, version: readVersion(late.body), url: `${url}/mine` });
  expect(again.statusCode).toBe(303);
  expect(await list()).toMatchObject([{ url: `${url}/mine` }]);
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
