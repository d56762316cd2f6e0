import { describe, expect, test } from 'vitest';
import { readyUpload } from '../../../../test/account-uploads.ts';
import { type AskV1, requestV1 } from '../../../../test/request-v1.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import type { Actor } from '../../../domain/actor.ts';
import { deriveCode } from '../../../domain/links/issue-code.ts';
import { tokenDigest } from '../../../domain/links/link-token.ts';

const { exchange, app } = await useTestServer();
const { engines } = exchange;

type Sender = Actor & { apiKey: string };
const ask = (sender: Sender, method: 'GET' | 'POST', path: string, more: AskV1 = {}) =>
  requestV1(app, method, path, { key: sender.apiKey, ...more });

async function send(sender: Sender, body: object) {
  const uploads = [await readyUpload(exchange, sender, 'report.txt')];
  return ask(sender, 'POST', '/drops', { body: { uploads, ...body } });
}
const toToken = (link: string) => link.split('/').at(-1) as string;
const open = (token: string) => requestV1(app, 'POST', '/link/open', { body: { secret: token } });

/** The code that was sent for a session. */
async function readCode(session: string): Promise<string> {
  const [row] = await exchange.database.query<{ code_id: string; account_id: string; drop_id: string }>(
    'select code_id, account_id, drop_id from link_sessions where digest = $1',
    [tokenDigest(session)],
  );
  const key = row && (await engines.store.links.key({ accountId: row.account_id, dropId: row.drop_id }));
  if (!key) throw new Error('no code');
  return deriveCode(await engines.dayKeys.unwrap(key.wrapped, key.day, row.drop_id), row.code_id);
}

describe('a drop with a link for anybody', () => {
  test('needs no receivers, and is in the list with nobody', async () => {
    const sender = await exchange.account();
    const { status, json } = await send(sender, {
      receivers: [],
      shared_link: { kind: 'anybody', max_downloads: 2, expires_in: 3600 },
    });
    expect(status).toBe(201);
    const drop = json();
    expect(drop).toMatchObject({
      receiver_count: 0,
      receivers: [],
      shared_link: { id: 1_000_000, kind: 'anybody', state: 'live', max_downloads: 2, downloads: 0, visits: 0 },
    });
    expect(Date.parse(drop.shared_link.expires_at)).toBeLessThan(Date.now() + 3_700_000);
    const listed = (await ask(sender, 'GET', `/drops/${drop.id}/shared-links`)).json();
    expect(listed.shared_links).toEqual(
      [{ ...drop.shared_link, link: undefined }].map(({ link: _, ...shown }) => shown),
    );
    expect((await ask(sender, 'GET', '/drops')).status).toBe(200);
    expect((await ask(sender, 'GET', `/drops/${drop.id}`)).json()).toMatchObject({ receivers: [] });

    const opened = (await open(toToken(drop.shared_link.link))).json();
    expect(opened).toMatchObject({ kind: 'download', shared: 'anybody', max_downloads: 2, code: null });
    const files = await requestV1(app, 'GET', '/link/drop', { key: opened.session });
    expect(files.json().files).toMatchObject([{ path: 'report.txt', delivered: false }]);
    expect((await requestV1(app, 'GET', '/link/receipt.json', { key: opened.session })).status).toBe(404);
  });

  test('is made once, however often the request is repeated', async () => {
    const sender = await exchange.account();
    const body = {
      uploads: [await readyUpload(exchange, sender, 'a.txt')],
      receivers: [],
      shared_link: { kind: 'anybody' },
    };
    const headers = { 'idempotency-key': 'one' };
    const first = await ask(sender, 'POST', '/drops', { body, headers });
    const again = await ask(sender, 'POST', '/drops', { body, headers });
    expect(again.json().shared_link).toEqual(first.json().shared_link);
  });

  test.each([
    ['no receivers', { receivers: [], shared_link: { kind: 'named' } }],
    ['nobody at all', { receivers: [] }],
    [
      'a later end than its drop',
      { receivers: [], expires_in: 86_400, shared_link: { kind: 'anybody', expires_in: 90_000 } },
    ],
    [
      'a maximum for people who are known',
      { receivers: [{ email: 'a@example.org' }], shared_link: { kind: 'named', max_downloads: 1 } },
    ],
  ])('is refused with %s', async (_, body) => {
    expect(await send(await exchange.account(), body)).toMatchObject({ status: 400 });
  });

  test.each([
    ['never', { sharedLinks: 'never' }],
    ['named only', { sharedLinks: 'named' }],
    ['with a code', { secondFactor: 'mail' }],
    ['to certain domains', { receiverDomains: ['example.org'] }],
  ] as const)('is refused if the account may share links %s', async (_, quotas) => {
    const sender = await exchange.account();
    await engines.store.quotas.setForAccount(sender.accountId, quotas);
    const refused = await send(sender, { receivers: [], shared_link: { kind: 'anybody' } });
    expect(refused.json()).toMatchObject({ code: 'recipient_not_allowed' });
  });
});

describe('a shared link of a drop', () => {
  test('is made later, one of each kind at a time, and ends alone', async () => {
    const sender = await exchange.account();
    const drop = (await send(sender, { receivers: [{ email: 'anna@example.org' }] })).json();
    const path = `/drops/${drop.id}/shared-links`;
    const made = await ask(sender, 'POST', path, { body: { kind: 'anybody' } });
    expect(made.status).toBe(201);
    expect((await ask(sender, 'POST', path, { body: { kind: 'anybody' } })).status).toBe(400);
    expect((await ask(sender, 'POST', path, { body: { kind: 'named' } })).status).toBe(201);
    const { id, link } = made.json();
    const revoked = await ask(sender, 'POST', `${path}/${id}/revoke`);
    expect(revoked.json()).toMatchObject({ id, state: 'revoked' });
    expect((await open(toToken(link))).status).toBe(410);
    expect((await ask(sender, 'POST', path, { body: { kind: 'anybody' } })).json().id).toBe(id + 2);
    const { receivers } = (await ask(sender, 'GET', `/drops/${drop.id}`)).json();
    expect(receivers).toMatchObject([{ id: 0, revoked_at: null }]);
  });

  test('is another account’s secret', async () => {
    const sender = await exchange.account();
    const drop = (await send(sender, { receivers: [], shared_link: { kind: 'anybody' } })).json();
    const other = await exchange.account();
    const path = `/drops/${drop.id}/shared-links`;
    for (const [method, at] of [
      ['GET', path],
      ['POST', path],
      ['POST', `${path}/1000000/revoke`],
    ] as const) {
      const body = at === path && method === 'POST' ? { body: { kind: 'anybody' } } : {};
      expect((await ask(other, method, at, body)).status).toBe(404);
    }
  });

  test('for all receivers leads a program to the link of one of them', async () => {
    const sender = await exchange.account();
    const drop = (
      await send(sender, { receivers: [{ email: 'anna@example.org' }], notify: false, shared_link: { kind: 'named' } })
    ).json();
    const { session, ...opened } = (await open(toToken(drop.shared_link.link))).json();
    expect(opened).toMatchObject({ shared: 'named' });
    expect((await requestV1(app, 'GET', '/link/drop', { key: session })).status).toBe(403);
    const named = await requestV1(app, 'POST', '/link/receiver', { key: session, body: { email: 'Anna@example.org' } });
    expect(named.status).toBe(204);
    expect((await requestV1(app, 'GET', '/link', { key: session })).json()).toMatchObject({ code: { state: 'sent' } });
    const code = await readCode(session);
    expect((await requestV1(app, 'POST', '/link/code', { key: session, body: { code } })).status).toBe(204);
    expect((await requestV1(app, 'GET', '/link', { key: session })).json()).toMatchObject({ shared: null, code: null });
    expect((await requestV1(app, 'GET', '/link/drop', { key: session })).status).toBe(200);
    const { receivers } = (await ask(sender, 'GET', `/drops/${drop.id}`)).json();
    expect(receivers).toMatchObject([{ state: 'opened' }]);
  });
});
