import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { parsePolicy, verifyReceipt } from '@waybill/evidence';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import { type OpenedRequest, openRequestLink, readyFile } from '../../../test/file-requests.ts';
import { deriveToken, sentLink } from '../../../test/links.ts';
import { buildTestServer, testHost as host, postForm } from '../../../test/server.ts';
import type { Account } from '../../domain/accounts/account-store.ts';
import { setAccountDisabled } from '../../domain/accounts/change-account.ts';
import { makeLogPolicy } from '../../domain/evidence/public-log.ts';
import { Sequencer } from '../../domain/evidence/sequencer.ts';
import { deriveCode } from '../../domain/links/issue-code.ts';

const chunkBytes = 8 * 1024 * 1024;

const exchange = await useTestExchange();
const app = buildTestServer(exchange);
let sentRequest: OpenedRequest;
let contact: { page: string; cookie: string };
afterAll(() => app.close());
beforeEach(async () => {
  sentRequest = await openRequestLink(exchange);
  contact = await openTestLink(sentRequest);
});

async function openTestLink({ actor, link }: OpenedRequest) {
  const token = await deriveToken(exchange, actor, link.dropId, link.position);
  const response = await postForm(app, `/u/${token}`, 'gesture=pressed');
  expect(response.statusCode).toBe(303);
  return {
    page: String(response.headers.location),
    cookie: String(response.headers['set-cookie']).split(';', 1)[0] as string,
  };
}

type Headers = Record<string, string>;
const ask = (method: string, path: string, headers: Headers = {}, payload?: InjectOptions['payload']) =>
  app.inject({
    method: method as 'GET',
    url: `${contact.page}${path}`,
    headers: { host, cookie: contact.cookie, ...headers },
    ...(payload === undefined ? {} : { payload }),
  });
const tus = (method: string, path: string, headers: Headers = {}, payload?: Buffer) =>
  ask(method, path, { 'tus-resumable': '1.0.0', ...headers }, payload);
const metadata = (name: string) => `filename ${Buffer.from(name).toString('base64')}`;
const create = (name: string, sizeBytes: number, headers: Headers = {}) =>
  tus('POST', 'tus', { 'upload-length': String(sizeBytes), 'upload-metadata': metadata(name), ...headers });
const patch = (id: string, offset: number, bytes: Buffer, headers: Headers = {}) =>
  tus(
    'PATCH',
    `tus/${id}`,
    { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream', ...headers },
    bytes,
  );
const readUploadId = (response: { headers: Record<string, unknown> }) =>
  String(response.headers['location']).split('/').at(-1) ?? '';
const listFiles = async () =>
  (await ask('GET', 'files')).json<{ name: string; state: string; receivedBytes: number }[]>();

describe('while the account is disabled', () => {
  const setDisabled = async (disabled: boolean) => {
    const account = (await exchange.engines.store.accounts.byId(sentRequest.actor.accountId)) as Account;
    await setAccountDisabled(exchange.engines, account, disabled);
  };
  const inboxSize = async () =>
    (await exchange.engines.store.drops.inboxPage(sentRequest.actor.accountId, undefined, 5)).length;

  test('a contact can send nothing, and continues when it is enabled again', async () => {
    const id = readUploadId(await create('a.bin', 10));
    await readyFile(exchange.engines, sentRequest.link, 'b.txt');
    await setDisabled(true);
    const token = await deriveToken(exchange, sentRequest.actor, sentRequest.link.dropId, sentRequest.link.position);
    const landing = await app.inject({ url: `/u/${token}`, headers: { host } });
    for (const page of [landing, await ask('GET', ''), await ask('GET', 'more')]) {
      expect([page.statusCode, page.body.includes('has been disabled')]).toEqual([410, true]);
    }
    const json = { 'content-type': 'application/json' };
    for (const refused of [
      await create('c.bin', 10),
      await patch(id, 0, randomBytes(10)),
      await ask('GET', 'files'),
      await ask('POST', 'send', json, JSON.stringify({ message: '' })),
    ]) {
      expect([refused.statusCode, refused.json().code]).toEqual([410, 'link_revoked']);
    }
    expect(await inboxSize()).toBe(0);
    await setDisabled(false);
    expect((await tus('DELETE', `tus/${id}`)).statusCode).toBe(204);
    expect((await ask('POST', 'send', json, JSON.stringify({ message: '' }))).statusCode).toBe(200);
    expect(await inboxSize()).toBe(1);
  });

  test('a form that is still arriving is rejected', async () => {
    const body = async function* () {
      yield '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nabc';
      await setDisabled(true);
      yield '\r\n--x--\r\n';
    };
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    expect((await ask('POST', '', headers, Readable.from(body()))).statusCode).toBe(410);
    expect(await inboxSize()).toBe(0);
  });

  test('a receiver still gets the files that it sent', async () => {
    const { token } = await sentLink(exchange, ['a.txt'], [sentRequest.link.receiver], sentRequest.actor);
    await setDisabled(true);
    const response = await postForm(app, `/d/${token}`, 'gesture=pressed');
    const cookie = String(response.headers['set-cookie']).split(';', 1)[0] as string;
    const page = String(response.headers.location);
    expect((await app.inject({ url: page, headers: { host, cookie } })).body).toContain('a.txt');
    const file = await app.inject({ url: `${page}all.zip`, headers: { host, cookie } });
    expect([file.statusCode, file.body.includes('content of a.txt')]).toEqual([200, true]);
  });
});

describe('an upload by tus', () => {
  test('keeps the path of the file in its folder', async () => {
    const inFolder = (path: string) => ({
      'upload-metadata': `${metadata('x')},path ${Buffer.from(path).toString('base64')}`,
    });
    expect((await create('x', 5, inFolder('grüße/2026/x'))).statusCode).toBe(201);
    expect((await create('x', 6, inFolder('x'))).statusCode).toBe(201);
    for (const path of ['../x', '/x', 'a/y']) {
      expect((await create('x', 5, inFolder(path))).json(), path).toMatchObject({ code: 'invalid_name' });
    }
    expect(await listFiles()).toMatchObject([{ path: 'grüße/2026/x' }, { path: 'x' }]);
  });

  test('is created, sent in parts and queried for its offset', async () => {
    const bytes = randomBytes(chunkBytes + 10);
    const created = await create('a.bin', bytes.length);
    expect([created.statusCode, created.headers['tus-resumable']]).toEqual([201, '1.0.0']);
    expect(created.headers.location).toMatch(new RegExp(`^${contact.page}tus/[0-9a-f-]{36}$`));
    const id = readUploadId(created);
    const first = await patch(id, 0, bytes.subarray(0, chunkBytes));
    expect([first.statusCode, first.headers['upload-offset']]).toEqual([204, String(chunkBytes)]);
    const asked = await tus('HEAD', `tus/${id}`);
    expect(asked.headers).toMatchObject({ 'upload-offset': String(chunkBytes), 'upload-length': String(bytes.length) });
    expect(await listFiles()).toMatchObject([{ name: 'a.bin', state: 'uploading', receivedBytes: chunkBytes }]);
    const last = await patch(id, chunkBytes, bytes.subarray(chunkBytes));
    expect([last.statusCode, last.headers['upload-offset']]).toEqual([204, String(bytes.length)]);
    expect(await listFiles()).toMatchObject([{ state: 'checking', receivedBytes: bytes.length }]);
  });

  test('reports whether it was scanned once it is ready', async () => {
    await readyFile(exchange.engines, sentRequest.link, 'a.txt');
    await create('b.txt', 10);
    expect(await listFiles()).toMatchObject([
      { name: 'a.txt', scan: 'unscanned' },
      { name: 'b.txt', scan: null },
    ]);
  });

  test('says why it was refused', async () => {
    const id = readUploadId(await create('locked.zip', 10));
    expect(await listFiles()).toMatchObject([{ state: 'uploading', refusal: null }]);
    await patch(id, 0, Buffer.alloc(10));
    await exchange.engines.store.uploads.refuse(sentRequest.actor.accountId, id, 'encrypted');
    expect(await listFiles()).toMatchObject([{ state: 'refused', refusal: 'encrypted' }]);
    expect((await create('a'.repeat(300), 1)).json()).toMatchObject({ code: 'invalid_name' });
  });

  test('may have unknown metadata', async () => {
    const more = { 'upload-metadata': `${metadata('a.bin')},colour ${Buffer.from('blå').toString('base64')}` };
    expect((await create('a.bin', 1, more)).statusCode).toBe(201);
    expect(await listFiles()).toMatchObject([{ name: 'a.bin' }]);
  });

  test('may be empty', async () => {
    expect((await create('empty.txt', 0)).statusCode).toBe(201);
    expect(await listFiles()).toMatchObject([{ name: 'empty.txt', state: 'checking' }]);
  });

  test('allows no other origins, and has the headers of every response', async () => {
    const responses = [
      await create('a.bin', 1, { origin: 'https://elsewhere.example' }),
      await tus('OPTIONS', 'tus', { origin: 'https://elsewhere.example' }),
      await ask('POST', 'tus'),
    ];
    for (const { headers } of responses) {
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });

  test.each<[string, number, () => Promise<{ statusCode: number }>]>([
    ['without the protocol’s header', 412, () => ask('POST', 'tus', { 'upload-length': '1' })],
    ['without a length', 400, () => tus('POST', 'tus', { 'upload-metadata': metadata('a') })],
    ['of a length to be said later', 400, () => tus('POST', 'tus', { 'upload-defer-length': '1' })],
    ['of more than a file may be', 413, () => create('a.bin', 101 * 1024 * 1024)],
    ['without a name', 400, () => tus('POST', 'tus', { 'upload-length': '1' })],
    ['with a path for a name', 400, () => create('../a.bin', 1)],
    ['a request from another site', 403, () => create('a.bin', 1, { 'sec-fetch-site': 'cross-site' })],
    ['a request without the cookie', 404, () => create('a.bin', 1, { cookie: '' })],
    ['that was never announced', 404, () => patch('01a1dca1-b6e4-73d7-b45e-3306c96c241d', 0, Buffer.from('a'))],
    ['whose id is none', 404, () => patch('..%2fa', 0, Buffer.from('a'))],
  ])('%s is refused', async (_what, status, act) => {
    expect((await act()).statusCode).toBe(status);
    expect(await listFiles()).toEqual([]);
  });

  test('accepts bytes only at its offset, and no more than were announced', async () => {
    const id = readUploadId(await create('a.bin', 10));
    expect((await patch(id, 5, Buffer.alloc(5))).statusCode).toBe(409);
    expect((await patch(id, 0, Buffer.alloc(11))).statusCode).toBe(413);
    expect(await listFiles()).toMatchObject([{ receivedBytes: 0, state: 'uploading' }]);
    expect((await patch(id, 0, Buffer.alloc(10))).statusCode).toBe(204);
    expect((await patch(id, 10, Buffer.alloc(1))).statusCode).toBe(413);
    expect((await patch(id, 0, Buffer.alloc(10))).statusCode).toBe(409);
  });

  test('rejects a request that is too small to complete a chunk', async () => {
    const id = readUploadId(await create('a.bin', chunkBytes * 2));
    const response = await patch(id, 0, Buffer.alloc(1000));
    expect([response.statusCode, response.json<{ code: string }>().code]).toEqual([400, 'invalid_input']);
    expect((await tus('HEAD', `tus/${id}`)).headers['upload-offset']).toBe('0');
  });

  test('can be removed', async () => {
    const id = readUploadId(await create('a.bin', 10));
    expect((await tus('DELETE', `tus/${id}`)).statusCode).toBe(204);
    expect((await tus('DELETE', `tus/${id}`)).statusCode).toBe(404);
    expect((await tus('HEAD', `tus/${id}`)).statusCode).toBe(404);
    expect(await listFiles()).toEqual([]);
  });

  test('exists once if it is created again after a lost response', async () => {
    const lost = readUploadId(await create('a.bin', 10));
    const id = readUploadId(await create('a.bin', 10));
    expect(await listFiles()).toHaveLength(1);
    expect((await patch(lost, 0, Buffer.alloc(10))).statusCode).toBe(404);
    expect((await patch(id, 0, Buffer.alloc(10))).statusCode).toBe(204);
  });

  test('belongs to its link alone', async () => {
    const id = readUploadId(await create('a.bin', 10));
    const stranger = await openTestLink(await openRequestLink(exchange, ['other@example.org']));
    const [mine, theirs] = [contact, stranger];
    contact = theirs;
    expect((await tus('HEAD', `tus/${id}`)).statusCode).toBe(404);
    expect((await patch(id, 0, Buffer.alloc(10))).statusCode).toBe(404);
    expect((await tus('DELETE', `tus/${id}`)).statusCode).toBe(404);
    contact = mine;
    expect(await listFiles()).toMatchObject([{ name: 'a.bin', state: 'uploading' }]);
  });
});

describe('sending', () => {
  const send = (body: unknown, headers: Headers = {}) =>
    ask('POST', 'send', { 'content-type': 'application/json', ...headers }, JSON.stringify(body));

  test('returns the files that were sent', async () => {
    await readyFile(exchange.engines, sentRequest.link, 'a.txt', 'aaa');
    const response = await send({ message: 'Here' });
    expect([response.statusCode, response.json()]).toEqual([200, { files: [{ name: 'a.txt', sizeBytes: 3 }] }]);
    expect(await listFiles()).toEqual([]);
  });

  test.each([
    ['a request without files', 409, { message: '' }, {}],
    ['a request without a message', 400, {}, {}],
    ['a message that is none', 400, { message: 1 }, {}],
    ['a message that is too long', 400, { message: 'a'.repeat(20_001) }, {}],
    ['a request from another site', 403, { message: '' }, { 'sec-fetch-site': 'cross-site' }],
    ['a request without the cookie', 404, { message: '' }, { cookie: '' }],
  ])('rejects %s, as JSON', async (_what, status, body, headers) => {
    const response = await send(body, headers);
    expect([response.statusCode, response.headers['content-type']]).toEqual([
      status,
      'application/json; charset=utf-8',
    ]);
  });

  test('is refused while a file is still being uploaded', async () => {
    await readyFile(exchange.engines, sentRequest.link, 'a.txt');
    await create('b.txt', 10);
    const response = await send({ message: '' });
    expect([response.statusCode, response.json<{ code: string }>().code]).toEqual([409, 'files_not_ready']);
  });
});

describe('after sending', () => {
  const sent = async (...names: string[]) => {
    for (const name of names) await readyFile(exchange.engines, sentRequest.link, name, 'aaa');
    await ask('POST', 'send', { 'content-type': 'application/json' }, JSON.stringify({ message: names.join() }));
  };

  test('the page always says what was sent, to whom and when', async () => {
    await sent('a.txt', 'b.txt');
    for (const response of [await ask('GET', ''), await ask('GET', '')]) {
      expect(response.statusCode).toBe(200);
      for (const said of [
        'have been sent',
        sentRequest.actor.email,
        'a.txt',
        'b.txt',
        'Not scanned for viruses',
        '6 bytes',
      ]) {
        expect(response.body).toContain(said);
      }
      const [, time = ''] = /<time datetime="([^"]+)"/.exec(response.body) ?? [];
      expect(Math.abs(Date.now() - Date.parse(time))).toBeLessThan(60_000);
      expect(response.body).not.toContain('type="file"');
    }
  });

  test('the contact gets a receipt that proves what was received, and no other person does', async () => {
    await sent('a.txt', 'b.txt');
    const { body } = await ask('GET', '');
    expect(body).toContain(`href="${contact.page}receipt.pdf"`);
    const sequencer = new Sequencer(exchange.engines);
    while (await sequencer.step(new AbortController().signal));
    await sequencer.stop();
    const policy = parsePolicy(await makeLogPolicy(exchange.engines));
    for (const format of ['pdf', 'json']) {
      const { rawPayload, headers } = await ask('GET', `receipt.${format}`);
      expect(headers['content-type']).toMatch(new RegExp(`^application/${format}`));
      expect(await verifyReceipt(rawPayload, policy)).toMatchObject({
        isValid: true,
        facts: {
          submission: { type: 'request', sender: { address: sentRequest.actor.email } },
          received: [{ files: [{ name: 'a.txt', size: 3 }, { name: 'b.txt' }] }],
        },
      });
    }
    expect((await ask('GET', 'receipt.json', { cookie: '' })).statusCode).toBe(404);
  });

  test('more can be sent, and the page still lists what was sent before', async () => {
    await sent('a.txt');
    expect((await ask('GET', '')).body).toContain(`href="${contact.page}more"`);
    const more = await ask('GET', 'more');
    expect(more.body).toContain('type="file"');
    expect(more.body).toMatch(/Sent earlier[^]*a\.txt/);
    await readyFile(exchange.engines, sentRequest.link, 'b.txt');
    // The page must not hide files that have not been sent yet.
    expect((await ask('GET', '')).body).toContain('type="file"');
    await sent('c.txt');
    expect((await ask('GET', '')).body).toMatch(/b\.txt[^]*c\.txt[^]*Sent earlier[^]*a\.txt/);
  });

  test('another contact of the request sees nothing of it', async () => {
    const both = await openRequestLink(exchange, ['c@example.org', 'd@example.org']);
    sentRequest = both;
    contact = await openTestLink(both);
    await sent('a.txt');
    contact = await openTestLink({ ...both, link: both.links[1] as OpenedRequest['link'] });
    for (const path of ['', 'more']) expect((await ask('GET', path)).body).not.toContain('a.txt');
  });

  test('without the cookie there is no page for more', async () => {
    expect((await ask('GET', 'more', { cookie: '' })).statusCode).toBe(404);
  });
});

describe('the plain form', () => {
  const boundary = 'limit';
  const part = (disposition: string, content = '') =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
  const post = (parts: string[], headers: Headers = {}) =>
    ask(
      'POST',
      '',
      { 'content-type': `multipart/form-data; boundary=${boundary}`, ...headers },
      `${parts.join('')}--${boundary}--\r\n`,
    );
  const messages = () =>
    exchange.database.query('select message, file_count from drops where account_id = $1 and type = $2', [
      sentRequest.actor.accountId,
      'receivedfiles',
    ]);

  test('sends its files and its message, with line feeds as line ends', async () => {
    const response = await post([
      part('name="file"; filename="a.txt"', 'aaa'),
      part('name="file"; filename="b.txt"', 'bbb'),
      part('name="message"', 'one\r\ntwo'),
    ]);
    expect([response.statusCode, response.headers.location]).toEqual([303, contact.page]);
    expect(await messages()).toEqual([{ message: 'one\ntwo', file_count: 2 }]);
  });

  test('has a field for each wanted file, and says which is which', async () => {
    const { accountId, dropId } = sentRequest.link;
    const wanted = ['Floor plans', 'Signed contract'].map((name) => ({ name, note: '' }));
    await exchange.database.query("update drops set title = 'House 12', wanted = $2 where id = $1", [
      dropId,
      JSON.stringify(wanted),
    ]);
    const page = await ask('GET', '');
    for (const said of ['House 12', 'Floor plans', 'name="wanted:0"', 'name="wanted:1"', 'Other files']) {
      expect(page.body).toContain(said);
    }
    const response = await post([
      part('name="wanted:0"; filename=""'),
      part('name="wanted:1"; filename="c.pdf"', 'ccc'),
      part('name="file"; filename="a.txt"', 'aaa'),
    ]);
    expect(response.statusCode).toBe(303);
    expect(
      await exchange.database.query('select name, wanted from files where account_id = $1 order by name', [accountId]),
    ).toEqual([
      { name: 'a.txt', wanted: null },
      { name: 'c.pdf', wanted: 1 },
    ]);
  });

  test('keeps the language that was chosen', async () => {
    const response = await ask(
      'POST',
      '?lang=sv',
      { 'content-type': `multipart/form-data; boundary=${boundary}` },
      `${part('name="file"; filename="a.txt"', 'aaa')}--${boundary}--\r\n`,
    );
    expect(response.headers.location).toBe(`${contact.page}?lang=sv`);
  });

  test('sends the files that were uploaded before if it has none of its own', async () => {
    await readyFile(exchange.engines, sentRequest.link, 'earlier.txt');
    const response = await post([part('name="file"; filename=""'), part('name="message"', '')]);
    expect(response.statusCode).toBe(303);
    expect(await messages()).toEqual([{ message: '', file_count: 1 }]);
  });

  test.each([
    ['no file', [part('name="file"; filename=""'), part('name="message"', 'Was written')]],
    ['a name that cannot be', [part('name="file"; filename="a/b"', 'a')]],
  ])('shows on the form: %s', async (what, parts) => {
    const response = await post(parts);
    expect(response.body.includes('Was written')).toBe(what === 'no file');
    expect(response.statusCode).toBe(422);
    expect(response.body).toContain('id="problem"');
    expect(response.body).toContain('type="file"');
    expect(await messages()).toEqual([]);
  });

  test('names the file for which it was rejected, and can be read in another language', async () => {
    const { body } = await post([
      part('name="file"; filename="good.txt"', 'a'),
      part('name="file"; filename="bad\u202Etxt.exe/"', 'a'),
    ]);
    expect(body).toContain('The name “bad\uFFFDtxt.exe/” cannot be used here, so nothing was sent.');
    expect(body).toContain(`href="${contact.page}?lang=de"`);
  });

  test('is refused if it comes from another site', async () => {
    const parts = [part('name="file"; filename="a.txt"', 'aaa')];
    expect((await post(parts, { 'sec-fetch-site': 'cross-site' })).statusCode).toBe(403);
    expect(await messages()).toEqual([]);
  });
});

test('neither a download link nor its cookie opens a contact draft', async () => {
  const { token } = await sentLink(exchange, ['a.txt']);
  const response = await app.inject({ url: `/u/${token}`, headers: { host } });
  expect(response.statusCode).toBe(404);
  const opening = await postForm(app, `/d/${token}`, 'gesture=pressed');
  const cookie = String(opening.headers['set-cookie']).split(';', 1)[0] as string;
  contact = { page: String(opening.headers.location).replace('/download/', '/upload/'), cookie };
  expect((await ask('GET', 'files')).statusCode).toBe(404);
});

test('a contact enters a code, and asks for more time and for a new link', async () => {
  const { actor, link } = sentRequest;
  const { engines, database } = exchange;
  const press = (url: string, payload = 'gesture=pressed') => postForm(app, url, payload, { cookie: contact.cookie });
  await engines.store.accounts.setChoices(actor.accountId, { secondFactor: 'mail' });
  await press(`${contact.page}resend`);
  const [session] = await database.query<{ id: string }>('select code_id as id from link_sessions where drop_id = $1', [
    link.dropId,
  ]);
  const key = await engines.store.links.key(link);
  if (!key || !session) throw new Error('no code was sent');
  const code = deriveCode(await engines.dayKeys.unwrap(key.wrapped, key.day, link.dropId), session.id);
  expect((await press(`${contact.page}code`, `code=${code}`)).statusCode).toBe(303);

  const age = (hours: number) =>
    database.query(
      "update drops set created_at = now() - $2 * interval '1 hour', expires_at = now() + (10 - $2) * interval '1 hour' where id = $1",
      [link.dropId, hours],
    );
  await age(9);
  expect((await press(`${contact.page}ask`)).statusCode).toBe(303);
  await age(11);
  const token = await deriveToken(exchange, actor, link.dropId, link.position);
  expect((await press(`/u/${token}/ask`)).statusCode).toBe(303);
  const entries = await database.query<{ action: string }>(
    "select action from audit_entries where author_kind = 'link' and details ->> 'dropId' = $1 order by sequence",
    [link.dropId],
  );
  expect(entries.map(({ action }) => action)).toEqual(['link.opened', 'link.code_entered', 'link.asked', 'link.asked']);
});
