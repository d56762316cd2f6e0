import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { sentLink } from '../../../../test/links.ts';
import { deterministicRandom } from '../../../../test/random.ts';
import { buildTestServer, testHost } from '../../../../test/server.ts';
import { signInMember } from '../../../../test/sign-in-member.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import { chunkBytes } from '../../../domain/files/sealing.ts';
import { openLink } from '../../../domain/links/open-link.ts';
import { checkUpload } from '../../../domain/uploads/check-upload.ts';
import { checkMs } from '../../../http/transfer/transfers.ts';
import { downloads } from '../../links/link-pages.ts';
import { sessionCookie, sessionPath } from '../../links/session.ts';

const { exchange, app } = await useTestServer();
const { engines } = exchange;
const large = deterministicRandom('an upload of a person').bytes(2 * chunkBytes + 1000);
const tus = { 'tus-resumable': '1.0.0', accept: 'application/json' };
const tusBody = { ...tus, 'content-type': 'application/offset+octet-stream' };
const base64 = (text: string) => Buffer.from(text).toString('base64');
type Member = Awaited<ReturnType<typeof signInMember>>;

const begin = async ({ browser, base }: Member, length = large.length, csrf = browser.csrf) => {
  const metadata = `filename ${base64('plan.bin')},path ${base64('site/plan.bin')}`;
  const headers = { ...tus, 'csrf-token': csrf, 'upload-length': String(length), 'upload-metadata': metadata };
  const response = await browser.send('POST', `${base}uploads`, { headers });
  const url = String(response.headers.location);
  return { status: response.statusCode, url, id: url.slice(url.lastIndexOf('/') + 1), body: response.body };
};
const patch = ({ browser }: Member, url: string, offset: number, payload: Buffer) =>
  browser.send('PATCH', url, {
    payload,
    headers: { ...tusBody, 'csrf-token': browser.csrf, 'upload-offset': String(offset) },
  });
const readOffset = async ({ browser }: Member, url: string) => {
  const { statusCode, headers } = await browser.send('HEAD', url, { headers: tus });
  return statusCode === 200 ? Number(headers['upload-offset']) : statusCode;
};
const list = async ({ browser, base }: Member, ids: readonly string[]) => {
  const response = await browser.send('GET', `${base}uploads?ids=${ids.join()}`, { headers: { accept: tus.accept } });
  return response.json<{ csrf: string; files: Record<string, unknown>[] }>();
};

test('a file arrives in parts, is checked, and is listed with its state', async () => {
  const member = await signInMember(exchange, app);
  const { status, url, id } = await begin(member);
  expect([status, url]).toEqual([201, `${member.base}uploads/${id}`]);
  await patch(member, url, 0, large.subarray(0, chunkBytes));
  expect(await readOffset(member, url)).toBe(chunkBytes);
  expect((await list(member, [id, 'no-uuid'])).files).toMatchObject([
    { id, name: 'plan.bin', path: 'site/plan.bin', state: 'uploading', receivedBytes: chunkBytes },
  ]);
  expect((await patch(member, url, chunkBytes, large.subarray(chunkBytes))).statusCode).toBe(204);
  await checkUpload(engines, member.account.accountId, id, new AbortController().signal);
  expect((await list(member, [id])).files).toMatchObject([{ id, state: 'ready', scan: 'unscanned' }]);
  expect(
    await exchange.database.query(
      `select author_kind, author_id, author_name from audit_entries where action = 'file.uploaded' and account_id = $1`,
      [member.account.accountId],
    ),
  ).toEqual([{ author_kind: 'person', author_id: member.person.id, author_name: member.person.email }]);
});

test('a file that one request brings is ready at once', async () => {
  const member = await signInMember(exchange, app);
  const { url, id } = await begin(member, 3);
  expect((await patch(member, url, 0, Buffer.from('abc'))).statusCode).toBe(204);
  const metadata = `filename ${base64('b.txt')}`;
  const length = { 'upload-length': '3', 'upload-metadata': metadata };
  const headers = { ...tusBody, ...length, 'csrf-token': member.browser.csrf };
  const payload = Buffer.from('abc');
  const created = await member.browser.send('POST', `${member.base}uploads`, { headers, payload });
  const other = String(created.headers.location).split('/').at(-1) ?? '';
  expect((await list(member, [id, other])).files).toMatchObject([{ state: 'ready' }, { state: 'ready' }]);
});

test('the list has the token of the forms, for a page that outlives its session', async () => {
  const { csrf, files } = await list(await signInMember(exchange, app), []);
  expect(files).toEqual([]);
  expect(csrf).toMatch(/^[\w-]{43}$/);
});

describe('an upload is not found', () => {
  const owned = async () => {
    const owner = await signInMember(exchange, app);
    const { id } = await begin(owner, 3);
    return { owner, id };
  };

  test.each([
    ['a member of another account', (_owner: Member) => signInMember(exchange, app)],
    ['another member of the account', ({ account }: Member) => signInMember(exchange, app, 'owner', account)],
  ])('by %s', async (_who, join) => {
    const { owner, id } = await owned();
    const other = await join(owner);
    const url = `${other.base}uploads/${id}`;
    expect(await readOffset(other, url)).toBe(404);
    expect((await patch(other, url, 0, Buffer.from('abc'))).statusCode).toBe(404);
    const headers = { ...tus, 'csrf-token': other.browser.csrf };
    expect((await other.browser.send('DELETE', url, { headers })).statusCode).toBe(404);
    expect((await list(other, [id])).files).toEqual([]);
    expect(await readOffset(other, `${owner.base}uploads/${id}`)).toBe(404);
    expect(await readOffset(owner, `${owner.base}uploads/${id}`)).toBe(0);
  });

  test('after it was removed', async () => {
    const { owner, id } = await owned();
    const headers = { ...tus, 'csrf-token': owner.browser.csrf };
    expect((await owner.browser.send('DELETE', `${owner.base}uploads/${id}`, { headers })).statusCode).toBe(204);
    expect(await readOffset(owner, `${owner.base}uploads/${id}`)).toBe(404);
    const recorded = await exchange.database.query(
      "select author_id, details ->> 'fileId' as id from audit_entries where account_id = $1 and action = 'file.deleted'",
      [owner.account.accountId],
    );
    expect(recorded).toEqual([{ author_id: owner.person.id, id }]);
  });
});

test('a script is told why an upload is refused, as a program is', async () => {
  const member = await signInMember(exchange, app);
  await engines.store.quotas.setForAccount(member.account.accountId, { maxStoredBytes: 100 });
  expect(await begin(member, 101)).toMatchObject({ status: 507, body: expect.stringContaining('storage_full') });
  const { url } = await begin(member, 10);
  const outOfStep = await patch(member, url, 5, Buffer.from('x'));
  expect([outOfStep.statusCode, outOfStep.json<{ code: string }>().code]).toEqual([409, 'upload_superseded']);
  const expired = await member.browser.send('GET', `${member.base}events?after=x`, { headers: { accept: '*/*' } });
  expect(expired.statusCode).toBe(400);
});

test('a reader, a form of another page and nobody begin no upload', async () => {
  const reader = await signInMember(exchange, app, 'reader');
  expect(await begin(reader)).toMatchObject({ status: 403, body: expect.stringContaining('role_missing') });
  const member = await signInMember(exchange, app);
  expect(await begin(member, 3, 'x')).toMatchObject({ status: 403, body: expect.stringContaining('form_expired') });
  member.browser.cookies.clear();
  expect(await begin(member)).toMatchObject({ status: 401, body: expect.stringContaining('sign_in_required') });
});

/** Sends the head of a request for a part of a file, and its first byte. */
const startPatch = ({ browser }: Member, port: number, url: string) => {
  const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ');
  const headers = { ...tusBody, cookie, 'csrf-token': browser.csrf, 'sec-fetch-site': 'same-origin', host: testHost };
  const running = httpRequest({
    port,
    method: 'PATCH',
    path: url,
    headers: { ...headers, 'upload-offset': '0', 'content-length': large.length },
  });
  running.on('error', () => undefined).write(large.subarray(0, 1));
  return running;
};

test('slow uploads, however many, do not keep other transfers from beginning and ending', async () => {
  const server = buildTestServer(exchange);
  const member = await signInMember(exchange, server);
  const urls = await Promise.all(Array.from({ length: 17 }, async () => (await begin(member)).url));
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const live = engines.uploadResources.live.size;
  const running = urls.map((url) => startPatch(member, port, url));
  await expect.poll(() => engines.uploadResources.live.size, { timeout: 20_000 }).toBe(live + urls.length);

  const { link } = await sentLink(exchange, ['a.txt']);
  const secret = await openLink(engines, link);
  const cookie = sessionCookie(downloads, secret, undefined, false).split(';', 1)[0] as string;
  const [file] = await engines.store.links.files(link);
  const url = `${sessionPath(downloads, secret)}files/${file?.id}/a.txt`;
  const downloaded = await server.inject({ url, headers: { host: testHost, cookie } });
  expect(downloaded.statusCode).toBe(200);
  const delivered = 'select 1 from deliveries where file_id = $1';
  await expect.poll(() => exchange.database.query(delivered, [file?.id]), { timeout: 20_000 }).toHaveLength(1);
  for (const request of running) request.destroy();
  await server.close();
});

test.each([
  ['the session', ({ sessionId, person }: Member) => engines.store.sessions.end(person.id, { id: sessionId })],
  [
    'the membership',
    ({ account, person }: Member) => engines.store.people.removeMembership(account.accountId, person.id),
  ],
])('a running upload ends within a second with %s, and keeps what was stored', async (_what, end) => {
  const server = buildTestServer(exchange);
  const member = await signInMember(exchange, server);
  const { url, id } = await begin(member);
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const running = startPatch(member, port, url);
  const ended = new Promise<number>((resolve) => {
    running.on('response', ({ statusCode }) => resolve(statusCode ?? 0));
    running.on('error', () => resolve(0));
  });
  running.write(large.subarray(1, chunkBytes + 1000));
  await expect
    .poll(async () => (await list(member, [id])).files[0]?.['receivedBytes'], { timeout: 20_000 })
    .toBe(chunkBytes);
  await end(member);
  const endedAt = Date.now();
  expect([0, 401, 403, 404]).toContain(await ended);
  expect(Date.now() - endedAt).toBeLessThan(checkMs + 2000);
  const left = await exchange.database.query('select received_bytes::float8 as bytes from uploads where id = $1', [id]);
  expect(left).toEqual([{ bytes: chunkBytes }]);
  running.destroy();
  await server.close();
});
