import { createHash, randomUUID } from 'node:crypto';
import { type ClientRequest, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { limits } from '@waybill/protocol';
import type { FastifyInstance } from 'fastify';
import { describe, expect, test } from 'vitest';
import { eicar } from '../../../../../tools/shared/eicar.ts';
import { testPolicy } from '../../../../test/exchange.ts';
import { readContent } from '../../../../test/file-requests.ts';
import { deterministicRandom } from '../../../../test/random.ts';
import { type AskV1, requestV1 } from '../../../../test/request-v1.ts';
import { buildTestServer, testHost } from '../../../../test/server.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import { setAccountQuotas } from '../../../domain/accounts/set-quotas.ts';
import { chunkBytes } from '../../../domain/files/sealing.ts';
import { sweep } from '../../../domain/sweep.ts';
import { checkUpload } from '../../../domain/uploads/check-upload.ts';

const { exchange, app } = await useTestServer();

const ask = (
  method: Parameters<typeof requestV1>[1],
  path: string,
  options: AskV1 & { server?: FastifyInstance } = {},
) => requestV1(options.server ?? app, method, path, options);

const content = Buffer.from('the whole file');
const large = deterministicRandom('an upload of an account').bytes(2 * chunkBytes + 1000);
const hash = (algorithm: string, bytes: Buffer) => createHash(algorithm).update(bytes).digest();
const reprDigest = (bytes: Buffer, algorithm: 'sha-256' | 'sha-512' = 'sha-256') =>
  `${algorithm}=:${hash(algorithm.replace('-', ''), bytes).toString('base64')}:`;
const named = (name: string) => ({ 'content-disposition': `attachment; filename="${name}"` });

/** Sends a small file in one request. */
const send = (key: string, name: string, body: Buffer = content, headers: Record<string, string> = {}) =>
  ask('POST', '/uploads', { key, body, headers: { 'content-type': 'text/plain', ...named(name), ...headers } });

const tus = { 'tus-resumable': '1.0.0' };
const tusBody = { ...tus, 'content-type': 'application/offset+octet-stream' };
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Begins an upload in parts. */
async function begin(key: string, length: number, { headers = {}, ...more }: AskV1 = {}) {
  const metadata = `filename ${base64('large.bin')},path ${base64('folder/large.bin')},filetype ${base64('text/plain')}`;
  const response = await ask('POST', '/uploads', {
    key,
    headers: { ...tus, 'upload-length': String(length), 'upload-metadata': metadata, ...headers },
    ...more,
  });
  const path = String(response.headers['location']).replace('/api/v1', '');
  return { ...response, path, id: path.slice(path.lastIndexOf('/') + 1) };
}

const patch = (
  key: string,
  path: string,
  offset: number,
  body: Buffer,
  { headers = {}, server }: { headers?: Record<string, string>; server?: FastifyInstance } = {},
) =>
  ask('PATCH', path, {
    key,
    body,
    headers: { ...tusBody, 'upload-offset': String(offset), ...headers },
    ...(server ? { server } : {}),
  });

const readOffset = async (key: string, path: string, server = app) => {
  const { status, headers } = await ask('HEAD', path, { key, headers: tus, server });
  return status === 200 ? Number(headers['upload-offset']) : status;
};

/** Does the work of the job that starts when the last byte is stored. */
const check = (accountId: string, id: string) =>
  checkUpload(exchange.engines, accountId, id, new AbortController().signal);

/** Begins a request with the large file, and sends a little more than one chunk of it. */
async function sendBeginning(server: FastifyInstance, key: string, path: string): Promise<ClientRequest> {
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const request = httpRequest({
    port,
    method: 'PATCH',
    path: `/api/v1${path}`,
    headers: {
      ...tusBody,
      host: testHost,
      authorization: `Bearer ${key}`,
      'upload-offset': '0',
      'content-length': large.length,
    },
  });
  request.on('error', () => undefined);
  request.write(large.subarray(0, chunkBytes + 1000));
  return request;
}

async function storedBytes(accountId: string, id: string): Promise<Buffer> {
  const [file] = await exchange.database.query<Parameters<typeof readContent>[1]>(
    `select id, size_bytes::float8 as "sizeBytes", wrapped_key as "wrappedKey", key_day as "keyDay", runs from files
     where account_id = $1 and id = $2 and state = 'ready'`,
    [accountId, id],
  );
  if (!file) throw new Error('there is no such file');
  return readContent(exchange.engines, file);
}

describe('a file in one request', () => {
  test('is ready at once, and belongs to its account', async () => {
    const { apiKey, accountId } = await exchange.account();
    const response = await send(apiKey, 'docs/report.txt');
    expect(response.status).toBe(201);
    const upload = response.json();
    expect(upload).toMatchObject({
      name: 'report.txt',
      path: 'docs/report.txt',
      media_type: 'text/plain',
      state: 'ready',
      size: content.length,
      received: content.length,
      sha256: hash('sha256', content).toString('hex'),
      scan: 'unscanned',
      unscanned_reason: 'off',
      refusal: null,
    });
    const week = Date.parse(upload.expires_at) - Date.parse(upload.created_at);
    expect(Math.round(week / 1000 / testPolicy.keepSeconds.drafts)).toBe(1);
    expect(response.headers['location']).toBe(`/api/v1/uploads/${upload.id}`);
    expect((await ask('GET', `/uploads/${upload.id}`, { key: apiKey })).json()).toEqual(upload);
    expect(await storedBytes(accountId, upload.id)).toEqual(content);
    expect((await send(apiKey, 'docs/report.txt')).json().id).not.toBe(upload.id);
  });

  test.each([
    ["attachment; filename*=UTF-8''r%C3%A9sum%C3%A9.txt", 'résumé.txt'],
    ['inline; filename=plain.txt', 'plain.txt'],
  ])('has the name in %s', async (disposition, name) => {
    const { apiKey } = await exchange.account();
    const response = await send(apiKey, '', content, { 'content-disposition': disposition });
    expect(response.json()).toMatchObject({ name, path: name });
  });

  test.each([
    ['no name', 'attachment', 'malformed_request'],
    ['a name outside ASCII', 'attachment; filename="é"', 'malformed_request'],
    ['a path that leads upwards', 'attachment; filename="../etc/passwd"', 'invalid_name'],
    ['an absolute path', 'attachment; filename="/etc/passwd"', 'invalid_name'],
    ['an empty name', 'attachment; filename="folder/"', 'invalid_name'],
  ])('is refused with %s', async (_what, disposition, code) => {
    const { apiKey } = await exchange.account();
    const response = await send(apiKey, '', content, { 'content-disposition': disposition });
    expect([response.status, response.json().code]).toEqual([400, code]);
  });

  test('may be empty', async () => {
    const { apiKey } = await exchange.account();
    expect((await send(apiKey, 'empty.txt', Buffer.alloc(0))).json()).toMatchObject({ state: 'ready', size: 0 });
  });

  test('is not a form', async () => {
    const { apiKey } = await exchange.account();
    const response = await send(apiKey, 'a.txt', content, { 'content-type': 'multipart/form-data; boundary=x' });
    expect(response.status).toBe(415);
  });

  test('is refused unless it has the declared digest', async () => {
    const { apiKey, accountId } = await exchange.account();
    const other = Buffer.from('another');
    const both = (bytes: Buffer) => `${reprDigest(content)}, ${reprDigest(bytes, 'sha-512')}`;
    expect((await send(apiKey, 'a.txt', content, { 'repr-digest': both(content) })).status).toBe(201);
    for (const header of [reprDigest(other), reprDigest(other, 'sha-512'), both(other)]) {
      const response = await send(apiKey, 'b.txt', content, { 'repr-digest': header });
      expect([response.status, response.json().code]).toEqual([422, 'digest_mismatch']);
    }
    expect((await send(apiKey, 'b.txt', content, { 'repr-digest': 'sha-256=abc' })).status).toBe(400);
    const files = await exchange.database.query('select name from files where account_id = $1', [accountId]);
    expect(files).toEqual([{ name: 'a.txt' }]);
  });

  test('has a maximum size, whether or not its length is declared', async () => {
    const { apiKey } = await exchange.account();
    const declared = await send(apiKey, 'a.bin', content, { 'content-length': String(limits.wholeUploadBytes + 1) });
    const refusal = {
      code: 'too_large',
      max_size: limits.wholeUploadBytes,
      detail: expect.stringContaining('Send it by the tus protocol'),
    };
    expect([declared.status, declared.json()]).toEqual([413, expect.objectContaining(refusal)]);
    const endless = Readable.from(Array.from({ length: 65 }, () => Buffer.alloc(1024 * 1024)));
    const chunked = await ask('POST', '/uploads', {
      key: apiKey,
      body: endless,
      headers: { ...named('a.bin'), 'content-type': 'text/plain' },
    });
    expect([chunked.status, chunked.json()]).toEqual([413, expect.objectContaining(refusal)]);
  });

  test('is scanned', async () => {
    const { apiKey } = await exchange.account();
    const server = buildTestServer(exchange, { policy: { ...testPolicy, scan: 'required' } });
    const post = (text: string) =>
      ask('POST', '/uploads', {
        key: apiKey,
        body: Buffer.from(text),
        headers: { ...named('a.txt'), 'content-type': 'text/plain' },
        server,
      });
    expect((await post('harmless')).json()).toMatchObject({ scan: 'clean', unscanned_reason: null });
    expect((await post(eicar)).json()).toMatchObject({ status: 422, code: 'infected' });
    await server.close();
  });

  test('is stored once for one Idempotency-Key', async () => {
    const { apiKey, accountId } = await exchange.account();
    const once = { 'idempotency-key': 'once' };
    const responses = [await send(apiKey, 'a.txt', content, once), await send(apiKey, 'a.txt', content, once)];
    expect(responses.map(({ status }) => status)).toEqual([201, 201]);
    expect(responses[1]?.text).toBe(responses[0]?.text);
    const other = await send(apiKey, 'a.txt', Buffer.from('other'), once);
    expect([other.status, other.json().code]).toEqual([422, 'idempotency_key_reused']);
    const files = await exchange.database.query('select id from files where account_id = $1', [accountId]);
    expect(files).toHaveLength(1);
  });
});

describe('a file in parts', () => {
  test('gets a list of what the server supports', async () => {
    const { apiKey, accountId } = await exchange.account();
    await setAccountQuotas(exchange.engines, { id: accountId }, { maxFileBytes: 1000 });
    const { status, headers } = await ask('OPTIONS', '/uploads', { key: apiKey });
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'tus-version': '1.0.0',
      'tus-extension': 'creation,creation-with-upload,termination,expiration',
      'tus-max-size': '1000',
    });
    const tooLarge = await begin(apiKey, 1001);
    expect([tooLarge.status, tooLarge.json().code]).toEqual([413, 'too_large']);
  });

  test('is ready after its check', async () => {
    const { apiKey: key, accountId, email, key: ownKey } = await exchange.account();
    const { status, path, id, headers } = await begin(key, large.length, {
      headers: { 'repr-digest': reprDigest(large) },
    });
    expect(status).toBe(201);
    expect(Date.parse(String(headers['upload-expires']))).toBeGreaterThan(Date.now());
    expect(await readOffset(key, path)).toBe(0);
    const first = await patch(key, path, 0, large.subarray(0, chunkBytes));
    expect([first.status, first.headers['upload-offset']]).toEqual([204, String(chunkBytes)]);
    const read = async () => (await ask('GET', path, { key })).json();
    expect(await read()).toMatchObject({ state: 'uploading', received: chunkBytes, size: large.length, sha256: null });
    const last = await patch(key, path, chunkBytes, large.subarray(chunkBytes), {
      headers: { 'repr-digest': reprDigest(large, 'sha-512') },
    });
    expect([last.status, last.headers['upload-offset']]).toEqual([204, String(large.length)]);
    expect(await read()).toMatchObject({ state: 'checking', received: large.length });
    await check(accountId, id);
    expect(await read()).toMatchObject({
      name: 'large.bin',
      path: 'folder/large.bin',
      state: 'ready',
      sha256: hash('sha256', large).toString('hex'),
    });
    expect(await readOffset(key, path)).toBe(large.length);
    expect((await storedBytes(accountId, id)).equals(large)).toBe(true);
    const entries = await exchange.database.query(
      "select author_kind, author_id, author_name from audit_entries where account_id = $1 and action = 'file.uploaded'",
      [accountId],
    );
    expect(entries).toEqual([{ author_kind: 'key', author_id: ownKey.id, author_name: email }]);
  });

  test('is ready at once if one request contains all of it', async () => {
    const { apiKey: key, accountId } = await exchange.account();
    const { path, id } = await begin(key, large.length);
    const headers = { 'repr-digest': reprDigest(large) };
    expect((await patch(key, path, 0, large, { headers })).status).toBe(204);
    const sha256 = hash('sha256', large).toString('hex');
    expect((await ask('GET', path, { key })).json()).toMatchObject({ state: 'ready', sha256, scan: 'unscanned' });
    expect((await storedBytes(accountId, id)).equals(large)).toBe(true);
    // The response may have been lost.
    expect(await readOffset(key, path)).toBe(large.length);
  });

  test('is refused by its check even if one request contained all of it', async () => {
    const { apiKey: key, accountId } = await exchange.account();
    const server = buildTestServer(exchange, { policy: { ...testPolicy, scan: 'required' } });
    const readRefusal = async (text: string, headers: Record<string, string> = {}) => {
      const body = Buffer.from(text);
      const { path, id } = await begin(key, body.length);
      expect((await patch(key, path, 0, body, { headers, server })).status).toBe(204);
      const read = async () => (await ask('GET', path, { key })).json();
      const { state, scan } = await read();
      if (state === 'ready') return scan;
      expect(state).toBe('checking');
      const policy = { ...testPolicy, scan: 'required' as const };
      await checkUpload({ ...exchange.engines, policy }, accountId, id, new AbortController().signal);
      return (await read()).refusal;
    };
    expect(await readRefusal('harmless')).toBe('clean');
    expect(await readRefusal(eicar)).toBe('infected');
    expect(await readRefusal('harmless', { 'repr-digest': reprDigest(content) })).toBe('digest_mismatch');
    await server.close();
  });

  test('may be sent with its creation', async () => {
    const { apiKey: key, accountId } = await exchange.account();
    const response = await begin(key, content.length, { body: content, headers: tusBody });
    expect([response.status, response.headers['upload-offset']]).toEqual([201, String(content.length)]);
    expect(await storedBytes(accountId, response.id)).toEqual(content);
  });

  test('may be empty', async () => {
    const { apiKey: key, accountId } = await exchange.account();
    const { path, id } = await begin(key, 0);
    await check(accountId, id);
    expect((await ask('GET', path, { key })).json()).toMatchObject({ state: 'ready', size: 0 });
  });

  test('continues in another process where its connection was cut', async () => {
    const { apiKey: key, accountId } = await exchange.account();
    const { path, id } = await begin(key, large.length);
    const doomed = buildTestServer(exchange);
    const cut = await sendBeginning(doomed, key, path);
    const received = async () => (await ask('GET', path, { key })).json().received;
    await expect.poll(received, { timeout: 10_000 }).toBe(chunkBytes);
    cut.destroy();
    expect(await readOffset(key, path)).toBe(chunkBytes);
    expect((await patch(key, path, chunkBytes, large.subarray(chunkBytes))).status).toBe(204);
    await doomed.close();
    await check(accountId, id);
    expect((await storedBytes(accountId, id)).equals(large)).toBe(true);
  });

  test('keeps bytes that were on their way to the store when its connection was cut, even if it continues at once', async () => {
    const { apiKey: key } = await exchange.account();
    const { path } = await begin(key, large.length);
    const putting = Promise.withResolvers<void>();
    const { objects } = exchange.engines;
    const put: typeof objects.put = async (...stored) => {
      putting.resolve();
      await new Promise((resolve) => setTimeout(resolve, 500));
      await objects.put(...stored);
    };
    const slow = buildTestServer(exchange, { objects: { ...objects, put } });
    const cut = await sendBeginning(slow, key, path);
    await putting.promise;
    cut.destroy();
    expect(await readOffset(key, path)).toBe(chunkBytes);
    await slow.close();
  });

  test('is checked even if the process that stored its last bytes was killed', async () => {
    const { apiKey: key, accountId } = await exchange.account();
    const { path, id } = await begin(key, content.length);
    const dying = buildTestServer(exchange, {
      checkpoint(name) {
        if (name === 'upload:chunk-committed') throw new Error('killed');
      },
    });
    expect((await patch(key, path, 0, content, { server: dying })).status).toBe(500);
    await dying.close();
    expect((await ask('GET', path, { key })).json()).toMatchObject({ state: 'uploading', received: content.length });
    expect(await readOffset(key, path)).toBe(content.length);
    expect((await ask('GET', path, { key })).json()).toMatchObject({ state: 'checking' });
    await check(accountId, id);
    expect(await storedBytes(accountId, id)).toEqual(content);
  });

  test('has one writer: two at once, in two processes, do not mix', async () => {
    const { apiKey: key, accountId } = await exchange.account();
    const { path, id } = await begin(key, large.length);
    const other = buildTestServer(exchange);
    const responses = await Promise.all([app, other].map((server) => patch(key, path, 0, large, { server })));
    await other.close();
    const statuses = responses.map(({ status }) => status).toSorted((one, two) => one - two);
    // The later one may find that the earlier one has stored something meanwhile: then the client continues there.
    expect([
      [204, 409],
      [409, 409],
    ]).toContainEqual(statuses);
    const offset = await readOffset(key, path);
    if (offset < large.length) expect((await patch(key, path, offset, large.subarray(offset))).status).toBe(204);
    await check(accountId, id);
    expect((await storedBytes(accountId, id)).equals(large)).toBe(true);
  });

  test.each([
    ['no length', { 'upload-length': '' }],
    ['a length to come later', { 'upload-length': '', 'upload-defer-length': '1' }],
    ['a negative length', { 'upload-length': '-1' }],
    ['a length in hexadecimal', { 'upload-length': '0x10' }],
    ['a length beyond all numbers', { 'upload-length': '9'.repeat(17) }],
    ['metadata that is not Base64', { 'upload-metadata': 'filename a.txt' }],
    ['metadata of an odd length', { 'upload-metadata': 'filename YQ' }],
    ['a name twice in its metadata', { 'upload-metadata': 'filename YQ==,filename Yg==' }],
    ['a comma too many in its metadata', { 'upload-metadata': 'filename YQ==,' }],
  ])('is not created with %s', async (_fault, headers) => {
    const { apiKey: key } = await exchange.account();
    const { status, json } = await begin(key, 100, { headers });
    expect([status, json().code]).toEqual([400, expect.stringMatching(/^(?:malformed_request|invalid_input)$/)]);
  });

  test('tells a client of another version of the protocol which one to use', async () => {
    const { apiKey: key } = await exchange.account();
    const { path } = await begin(key, 100);
    for (const version of ['0.2.2', '1.0.0, 0.2.2']) {
      const { status, headers } = await ask('HEAD', path, { key, headers: { 'tus-resumable': version } });
      expect([status, headers['tus-resumable'], headers['tus-version']]).toEqual([412, '1.0.0', '1.0.0']);
    }
  });

  test('describes itself as it was announced', async () => {
    const { apiKey: key } = await exchange.account();
    const { path } = await begin(key, 100, {
      headers: { 'upload-metadata': `filename ${base64('å.txt')},is_private` },
    });
    const { status, headers } = await ask('HEAD', path, { key, headers: tus });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'tus-resumable': '1.0.0',
      'cache-control': 'no-store',
      'upload-offset': '0',
      'upload-length': '100',
      'upload-metadata': `filename ${base64('å.txt')},filetype ${base64('application/octet-stream')}`,
    });
  });

  test('is continued only at its offset', async () => {
    const { apiKey: key } = await exchange.account();
    const { path } = await begin(key, 100);
    const response = await patch(key, path, 50, Buffer.alloc(50));
    expect([response.status, response.json().code]).toEqual([409, 'upload_superseded']);
    expect((await patch(key, path, 0, Buffer.alloc(101))).status).toBe(413);
    expect((await patch(key, path, 0, Buffer.alloc(100), { headers: { 'content-type': 'text/plain' } })).status).toBe(
      415,
    );
    expect((await ask('HEAD', path, { key })).status).toBe(412);
  });

  test.each([
    ['at its creation', { 'repr-digest': reprDigest(content) }, {}],
    ['with its last part', {}, { 'repr-digest': reprDigest(content, 'sha-512') }],
  ])('is refused if it does not have the digest that was declared %s', async (_when, atCreation, atEnd) => {
    const { apiKey: key, accountId } = await exchange.account();
    const sent = Buffer.from('something else');
    const { path, id } = await begin(key, sent.length, { headers: atCreation });
    expect((await patch(key, path, 0, sent, { headers: atEnd })).status).toBe(204);
    await check(accountId, id);
    expect((await ask('GET', path, { key })).json()).toMatchObject({
      state: 'refused',
      refusal: 'digest_mismatch',
      sha256: null,
    });
    await expect(storedBytes(accountId, id)).rejects.toThrow('no such file');
  });

  test('cannot have two digests', async () => {
    const { apiKey: key } = await exchange.account();
    const { path } = await begin(key, content.length, { headers: { 'repr-digest': reprDigest(content) } });
    const digest = { 'repr-digest': reprDigest(Buffer.from('other')) };
    expect((await patch(key, path, 0, content, { headers: digest })).json().code).toBe('digest_mismatch');
    expect((await patch(key, path, 0, content)).status).toBe(204);
    const late = { 'repr-digest': reprDigest(content, 'sha-512') };
    expect((await patch(key, path, content.length, Buffer.alloc(0), { headers: late })).status).toBe(400);
  });

  test('is created once for one Idempotency-Key', async () => {
    const { apiKey: key, accountId } = await exchange.account();
    const headers = { ...tusBody, 'idempotency-key': '"once"' };
    const [first, second] = [
      await begin(key, large.length, { headers, body: large.subarray(0, chunkBytes) }),
      await begin(key, large.length, { headers, body: large.subarray(0, chunkBytes) }),
    ];
    expect(second.path).toBe(first.path);
    expect(second.headers['upload-offset']).toBe(String(chunkBytes));
    expect((await begin(key, 5, { headers: { 'idempotency-key': 'once' } })).json().code).toBe(
      'idempotency_key_reused',
    );
    const uploads = await exchange.database.query('select id from uploads where account_id = $1', [accountId]);
    expect(uploads).toHaveLength(1);
    expect((await patch(key, first.path, chunkBytes, large.subarray(chunkBytes))).status).toBe(204);
    const third = await begin(key, large.length, { headers: { 'idempotency-key': 'once' } });
    expect([third.status, third.path]).toEqual([201, first.path]);
  });
});

describe('an upload', () => {
  test('does not exist for another account', async () => {
    const [owner, other] = [await exchange.account(), await exchange.account()];
    const { path, id } = await begin(owner.apiKey, content.length);
    const ready = (await send(owner.apiKey, 'a.txt')).json().id;
    for (const one of [path, `/uploads/${ready}`, `/uploads/${randomUUID()}`]) {
      expect((await ask('GET', one, { key: other.apiKey })).status).toBe(404);
      expect((await ask('DELETE', one, { key: other.apiKey })).status).toBe(404);
      expect(await readOffset(other.apiKey, one)).toBe(404);
      expect((await patch(other.apiKey, one, 0, content)).status).toBe(404);
    }
    expect((await patch(owner.apiKey, path, 0, content)).status).toBe(204);
    await check(owner.accountId, id);
    expect(await storedBytes(owner.accountId, id)).toEqual(content);
  });

  test('can be removed in every state', async () => {
    const { apiKey: key } = await exchange.account();
    const { path } = await begin(key, content.length);
    const ready = `/uploads/${(await send(key, 'a.txt')).json().id}`;
    for (const one of [path, ready]) {
      const response = await ask('DELETE', one, { key });
      expect([response.status, response.headers['tus-resumable']]).toEqual([204, '1.0.0']);
      expect((await ask('GET', one, { key })).status).toBe(404);
      expect((await ask('DELETE', one, { key })).status).toBe(404);
    }
    expect((await patch(key, path, 0, content)).status).toBe(404);
  });

  test('counts as stored from its beginning to its removal', async () => {
    const { apiKey: key, accountId } = await exchange.account();
    await setAccountQuotas(exchange.engines, { id: accountId }, { maxStoredBytes: 1000 });
    const { path } = await begin(key, 990);
    const refused = [await begin(key, 11), await send(key, 'a.txt')];
    expect(refused.map(({ status, json }) => [status, json().code])).toEqual([
      [507, 'storage_full'],
      [507, 'storage_full'],
    ]);
    await ask('DELETE', path, { key });
    expect((await send(key, 'a.txt')).status).toBe(201);
  });

  test('gets the first response when its request is repeated, even if there is no space for a second one', async () => {
    const { apiKey: key, accountId } = await exchange.account();
    const once = { 'idempotency-key': 'a', 'content-length': String(content.length) };
    await setAccountQuotas(exchange.engines, { id: accountId }, { maxStoredBytes: content.length + 1 });
    const first = await send(key, 'a.txt', content, once);
    expect(first.status).toBe(201);
    const again = await send(key, 'a.txt', content, once);
    expect([again.status, again.json()]).toEqual([201, first.json()]);
    const other = await send(key, 'a.txt', Buffer.alloc(content.length), once);
    expect([other.status, other.json().code]).toEqual([422, 'idempotency_key_reused']);
  });

  test('is removed if it is not continued, or not used, in time', async () => {
    const { apiKey: key, accountId } = await exchange.account();
    const begun = await begin(key, content.length);
    const checking = await begin(key, large.length);
    await patch(key, checking.path, 0, large.subarray(0, chunkBytes));
    await patch(key, checking.path, chunkBytes, large.subarray(chunkBytes));
    const ready = (await send(key, 'a.txt')).json();
    const state = async (path: string) => {
      const { status, json } = await ask('GET', path, { key });
      return status === 200 ? json().state : status;
    };
    const states = () => Promise.all([begun.path, checking.path, `/uploads/${ready.id}`].map(state));
    const { query } = exchange.database;
    const age = (table: string, column: string, interval: string) =>
      query(`update ${table} set ${column} = ${column} - $1::interval where account_id = $2`, [interval, accountId]);

    await age('drafts', 'touched_at', '6 days 23 hours');
    await sweep(exchange.engines);
    expect(await states()).toEqual(['uploading', 'checking', 'ready']);

    await age('drafts', 'touched_at', '2 hours');
    await sweep(exchange.engines);
    expect(await states()).toEqual(['uploading', 'checking', 404]);

    await age('uploads', 'due_at', '2 hours');
    await sweep(exchange.engines);
    expect(await states()).toEqual([404, 'checking', 404]);
    await check(accountId, checking.id);
    expect(await states()).toEqual([404, 'ready', 404]);
  });
});
