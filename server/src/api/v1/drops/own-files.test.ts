// The account that sent a drop downloads its files while the drop exists.
import type { Scope } from '@waybill/protocol/v1';
import { beforeAll, describe, expect, test } from 'vitest';
import { readyUpload } from '../../../../test/account-uploads.ts';
import { requestV1 } from '../../../../test/request-v1.ts';
import { signInMember } from '../../../../test/sign-in-member.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import { sweep } from '../../../domain/sweep.ts';

const { exchange, app } = await useTestServer();
const { engines } = exchange;
const patient = { timeout: 10_000 };
let origin: string;
beforeAll(async () => {
  origin = await app.listen({ host: '127.0.0.1', port: 0 });
});

async function createKey(creator: string, scopes: Scope[]): Promise<string> {
  return (await requestV1(app, 'POST', '/keys', { key: creator, body: { name: 'k', scopes } })).json().api_key;
}

/** Sends a.txt and b.txt with a key. Returns the paths of its files and of all of them. */
async function send(account: Awaited<ReturnType<typeof exchange.account>>, key = account.apiKey) {
  const uploads = [
    await readyUpload(exchange, account, 'plans/a.txt', 'first'),
    await readyUpload(exchange, account, 'b.txt'),
  ];
  const body = { uploads, receivers: [{ email: 'anna@example.org' }] };
  const { id } = (await requestV1(app, 'POST', '/drops', { key, body })).json();
  return { id, file: `/drops/${id}/files/${uploads[0]}`, all: `/drops/${id}/all.zip` };
}

/** Uses a real connection, which shows how many bytes were sent. */
async function download(key: string, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${origin}/api/v1${path}`, { headers: { authorization: `Bearer ${key}`, ...headers } });
  return {
    status: response.status,
    headers: response.headers,
    text: Buffer.from(await response.arrayBuffer()).toString('latin1'),
  };
}

const readAudit = async (accountId: string) =>
  (
    await exchange.database.query<{ entry: string }>(
      `select author_kind || ' ' || (details ->> 'files') as entry from audit_entries
       where account_id = $1 and action = 'drop.downloaded' order by at`,
      [accountId],
    )
  ).map(({ entry }) => entry);

describe('a file that the account sent', () => {
  test('is downloaded, whole, in part or in a ZIP, and nobody counts as having it', async () => {
    const account = await exchange.account();
    const { id, file, all } = await send(account);
    const whole = await download(account.apiKey, file);
    expect([whole.status, whole.text]).toEqual([200, 'first']);
    expect(whole.headers.get('waybill-path')).toBe('plans/a.txt');
    const part = await download(account.apiKey, file, { range: 'bytes=2-' });
    expect([part.status, part.text]).toEqual([206, 'rst']);
    expect((await download(account.apiKey, all)).text).toContain('plans/a.txt');
    expect((await requestV1(app, 'HEAD', all, { key: account.apiKey })).status).toBe(200);
    await expect.poll(() => readAudit(account.accountId), patient).toEqual(['key 1', 'key 2']);
    const [state] = await engines.store.drops.deliveryStates(account.accountId, id, -1, 1);
    expect(state).toMatchObject({ openedAt: null, completedAt: null });
    expect(state?.files.map(({ deliveredBytes }) => deliveredBytes)).toEqual([0, 0]);
  });

  test('is gone when the drop ends, and belongs to no other account', async () => {
    const [account, other] = [await exchange.account(), await exchange.account()];
    const { id, file, all } = await send(account);
    for (const path of [file, all]) expect((await download(other.apiKey, path)).status).toBe(404);
    await requestV1(app, 'POST', `/drops/${id}/revoke`, { key: account.apiKey });
    for (const path of [file, all]) expect((await download(account.apiKey, path)).status).toBe(404);
    const second = await send(account);
    await exchange.expire(second.id);
    for (const path of [second.file, second.all]) expect((await download(account.apiKey, path)).status).toBe(404);
  });

  test('needs a key that may send, which without the history finds only what it sent itself', async () => {
    const account = await exchange.account();
    const [sending, history, both] = [
      await createKey(account.apiKey, ['send']),
      await createKey(account.apiKey, ['history']),
      await createKey(account.apiKey, ['history', 'send']),
    ];
    const [own, others] = [await send(account, sending), await send(account)];
    const statuses = async (key: string) => [
      (await download(key, own.file)).status,
      (await download(key, others.file)).status,
      (await download(key, others.all)).status,
    ];
    expect(await statuses(sending)).toEqual([200, 404, 404]);
    expect(await statuses(history)).toEqual([403, 403, 403]);
    expect(await statuses(both)).toEqual([200, 200, 200]);
  });

  test('is downloaded by a reader from the page of the delivery, which records it', async () => {
    const { account, browser, base } = await signInMember(exchange, app, 'reader');
    const { id } = await send(account);
    const page = (await browser.get(`${base}sent/${id}`)).body;
    const [, href = ''] = /href="([^"]*\/files\/[^"]*)"[^>]*download/.exec(page) ?? [];
    expect(page).toContain(`${base}sent/${id}/all.zip`);
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ');
    for (const path of [href, `${base}sent/${id}/all.zip`]) {
      expect((await fetch(`${origin}${path}`, { headers: { cookie } })).status).toBe(200);
    }
    await expect.poll(() => readAudit(account.accountId), patient).toEqual(['person 1', 'person 2']);
    expect((await browser.get(`${base}sent/${id}`)).body).toContain('downloaded files of their own delivery');
    expect((await browser.get(`${base}sent/${id}/files/${account.accountId}`)).statusCode).toBe(404);
  });
});

describe('files that are sent again', () => {
  const sendAgain = (key: string, sentFiles: readonly string[], more: object = {}) =>
    requestV1(app, 'POST', '/drops', {
      key,
      body: { uploads: [], sent_files: sentFiles, receivers: [{ email: 'bo@example.org' }], notify: false, ...more },
    });
  const readFiles = async (key: string, id: string): Promise<{ id: string; path: string; state: string }[]> =>
    (await requestV1(app, 'GET', `/drops/${id}`, { key })).json().files;

  test('are in another drop, also those of the machine API, which ends by itself', async () => {
    const account = await exchange.account('anna@example.org');
    const key = account.apiKey;
    const first = await exchange.drop(account, ['anna@example.org'], ['a.txt', 'b.txt']);
    const ids = (await readFiles(key, first)).map(({ id }) => id);
    const upload = await readyUpload(exchange, account, 'new.txt');
    const again = await sendAgain(key, ids, { uploads: [upload] });
    expect(again.status, again.text).toBe(201);
    const { id, file_count: count } = again.json();
    expect(count).toBe(3);
    await requestV1(app, 'POST', `/drops/${first}/revoke`, { key });
    await sweep(engines);
    const files = await readFiles(key, id);
    expect(files.map(({ path, state }) => [path, state])).toEqual(
      expect.arrayContaining(['a.txt', 'b.txt', 'new.txt'].map((path) => [path, 'available'])),
    );
    const a = files.find(({ path }) => path === 'a.txt');
    expect((await download(key, `/drops/${id}/files/${a?.id}`)).text).toBe('content of a.txt');
    expect((await readFiles(key, first)).map(({ state }) => state)).toEqual(['deleted', 'deleted']);
    // Those of the first are gone.
    expect((await sendAgain(key, ids)).json()).toMatchObject({ code: 'not_found' });
  });

  test('are checked like uploads, and refused one by one', async () => {
    const [account, other] = [await exchange.account(), await exchange.account()];
    const [first, theirs] = [await send(account), await send(other)];
    const [mine] = await readFiles(account.apiKey, first.id);
    const [foreign] = await readFiles(other.apiKey, theirs.id);
    const ids = [mine?.id, mine?.id, foreign?.id].map(String);
    const same = await readyUpload(exchange, account, String(mine?.path), 'other');
    const refused = await sendAgain(account.apiKey, ids, { uploads: [same] });
    expect(refused.json().errors.map(({ pointer, code }: Record<string, string>) => [pointer, code])).toEqual([
      ['/sent_files/0', 'repeated'],
      ['/sent_files/1', 'repeated'],
      ['/sent_files/2', 'not_found'],
    ]);
    const checked = await requestV1(app, 'POST', '/drops/check', {
      key: account.apiKey,
      body: { uploads: [], sent_files: [ids[0]], receivers: [{ email: 'bo@example.org' }] },
    });
    expect(checked.json()).toMatchObject({ file_count: 1, size: 5 });
  });

  test('are only those that the key sent itself, unless it may read the history', async () => {
    const account = await exchange.account();
    const [sending, both] = [
      await createKey(account.apiKey, ['send']),
      await createKey(account.apiKey, ['history', 'send']),
    ];
    const [own, others] = [await send(account, sending), await send(account)];
    const ids = async (id: string) => (await readFiles(account.apiKey, id)).map((file) => file.id);
    const statuses = async (key: string) => [
      (await sendAgain(key, await ids(own.id))).status,
      (await sendAgain(key, await ids(others.id))).status,
    ];
    expect(await statuses(sending)).toEqual([201, 404]);
    expect(await statuses(both)).toEqual([201, 201]);
  });
});
