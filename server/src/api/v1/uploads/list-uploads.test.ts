import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readyUpload } from '../../../../test/account-uploads.ts';
import { openRequestLink, readyFile } from '../../../../test/file-requests.ts';
import { requestV1 } from '../../../../test/request-v1.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import type { Actor } from '../../../domain/actor.ts';

const { exchange, app } = await useTestServer();

type Owner = Actor & { readonly apiKey: string };
interface Upload {
  readonly id: string;
  readonly name: string;
  readonly state: string;
}

const get = ({ apiKey: key }: Pick<Owner, 'apiKey'>, path: string) => requestV1(app, 'GET', path, { key });
async function list(owner: Pick<Owner, 'apiKey'>, query = ''): Promise<Upload[]> {
  const response = await get(owner, `/uploads?${query}`);
  expect(response.status, response.text).toBe(200);
  return response.json().data;
}
const listNames = async (owner: Owner, query = '') => (await list(owner, query)).map(({ name }) => name);

/** Sends a small file in one request. */
async function upload({ apiKey: key }: Owner, name: string): Promise<string> {
  const headers = { 'content-type': 'text/plain', 'content-disposition': `attachment; filename="${name}"` };
  const response = await requestV1(app, 'POST', '/uploads', { key, headers, body: Buffer.from(name) });
  expect(response.status, response.text).toBe(201);
  return response.json().id;
}

/** Begins an upload by tus. */
async function begin({ apiKey: key }: Owner, name: string): Promise<string> {
  const metadata = `filename ${Buffer.from(name).toString('base64')}`;
  const headers = { 'tus-resumable': '1.0.0', 'upload-length': '1000', 'upload-metadata': metadata };
  const response = await requestV1(app, 'POST', '/uploads', { key, headers });
  expect(response.status, response.text).toBe(201);
  return String(response.headers['location']).slice('/api/v1/uploads/'.length);
}

describe('GET /uploads', () => {
  test('lists the uploads that were not sent, as they are read one by one, newest first', async () => {
    const owner = await exchange.account();
    const [first] = [await upload(owner, 'a.txt'), await begin(owner, 'b.txt'), await upload(owner, 'c.txt')];
    expect(await listNames(owner)).toEqual(['c.txt', 'b.txt', 'a.txt']);
    for (const each of await list(owner)) expect((await get(owner, `/uploads/${each.id}`)).json()).toEqual(each);
    const body = { uploads: [first], receivers: [{ email: 'r@example.org' }] };
    expect((await requestV1(app, 'POST', '/drops', { key: owner.apiKey, body })).status).toBe(201);
    expect(await listNames(owner)).toEqual(['c.txt', 'b.txt']);
    for (const { id } of await list(owner)) await requestV1(app, 'DELETE', `/uploads/${id}`, { key: owner.apiKey });
    expect(await list(owner)).toEqual([]);
  });

  test('can be filtered by state', async () => {
    const owner = await exchange.account();
    await upload(owner, 'ready.txt');
    await begin(owner, 'uploading.txt');
    const [checking, refused] = [await begin(owner, 'checking.txt'), await begin(owner, 'refused.txt')];
    await exchange.database.query("update uploads set state = 'checking' where id = $1", [checking]);
    await exchange.database.query(
      "update uploads set state = 'refused', refusal = 'infected', wrapped_key = null where id = $1",
      [refused],
    );
    for (const state of ['ready', 'uploading', 'checking', 'refused']) {
      expect(await list(owner, `state=${state}`)).toMatchObject([{ name: `${state}.txt`, state }]);
    }
    expect(await list(owner)).toHaveLength(4);
  });

  test('is read page by page, and a cursor is valid only with its filter', async () => {
    const owner = await exchange.account();
    for (const name of ['a', 'b', 'c']) await upload(owner, name);
    await begin(owner, 'd');
    const names: string[] = [];
    for (let cursor = ''; ; ) {
      const page = (await get(owner, `/uploads?limit=1${cursor}`)).json();
      names.push(...page.data.map(({ name }: Upload) => name));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
      // A new upload does not move the others.
      await upload(owner, 'new');
    }
    expect(names).toEqual(['d', 'c', 'b', 'a']);
    const { next_cursor: next } = (await get(owner, '/uploads?limit=1')).json();
    expect((await get(owner, `/uploads?state=ready&cursor=${next}`)).status).toBe(400);
  });

  test('has nothing of other accounts, of contacts, of people and of drafts', async () => {
    const [owner, other] = [await exchange.account(), await exchange.account()];
    await upload(other, 'other.txt');
    await exchange.upload(owner, 'of-a-draft.txt');
    const id = randomUUID();
    await readyUpload(exchange, { ...owner, author: { ...owner.author, kind: 'person', id } }, 'of-a-person.txt');
    expect(await list(owner)).toEqual([]);
    const { actor, link } = await openRequestLink(exchange);
    await readyFile(exchange.engines, link, 'of-a-contact.txt');
    expect(await list(actor as Owner)).toEqual([]);
  });

  test('needs the scope send', async () => {
    const owner = await exchange.account();
    await upload(owner, 'a.txt');
    const createKey = async (scope: string) => {
      const body = { name: scope, scopes: [scope] };
      return { apiKey: (await requestV1(app, 'POST', '/keys', { key: owner.apiKey, body })).json().api_key };
    };
    expect(await list(await createKey('send'))).toHaveLength(1);
    for (const scope of ['receive', 'contacts', 'history', 'webhooks', 'keys']) {
      const response = await get(await createKey(scope), '/uploads');
      expect([response.status, response.json().code]).toEqual([403, 'scope_missing']);
    }
    expect((await get({ apiKey: 'unknown' }, '/uploads')).status).toBe(401);
  });

  test.each([
    'state=gone',
    'state=abandoned',
    'state=ready&state=ready',
    'limit=0',
    'limit=101',
    'cursor=AAAA',
    'name=a',
  ])('refuses %s', async (query) => {
    const response = await get(await exchange.account(), `/uploads?${query}`);
    expect([response.status, response.json().code]).toEqual([400, 'invalid_input']);
  });
});
