import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import { deriveToken, type SentLink, sentLink } from '../../../test/links.ts';
import { buildTestServer, testHost as host, makeFailureLimit, postForm } from '../../../test/server.ts';
import { setReceivers } from '../../domain/drafts/change-draft.ts';
import { dispatchDraft } from '../../domain/drops/dispatch-draft.ts';
import { deriveCode } from '../../domain/links/issue-code.ts';
import { toReference } from '../../domain/reference.ts';

const form = 'application/x-www-form-urlencoded';

const exchange = await useTestExchange();
let app: FastifyInstance;
let failures: string[];
beforeEach(() => {
  failures = [];
  app = build();
});
afterEach(() => app.close());

/** By default, guesses are counted but never limited. */
function build(waitSeconds = 0): FastifyInstance {
  const failureLimit = {
    async record(key: string) {
      failures.push(key);
      return makeFailureLimit(waitSeconds).record(key);
    },
  };
  return buildTestServer(exchange, { failureLimit });
}

type Headers = Record<string, string>;
const get = (url: string, headers: Headers = {}) => app.inject({ url, headers: { host, ...headers } });
const post = (url: string, payload: string, headers: Headers = {}) => postForm(app, url, payload, headers);

async function trace({ dropId }: SentLink) {
  const [link] = await exchange.database.query<{ opened: boolean; completed: boolean }>(
    'select opened_at is not null as opened, completed_at is not null as completed from links where drop_id = $1',
    [dropId],
  );
  const count = async (table: string) =>
    (await exchange.database.query(`select from ${table} where drop_id = $1`, [dropId])).length;
  return { ...link, sessions: await count('link_sessions'), deliveries: await count('deliveries') };
}
const untouched = { opened: false, completed: false, sessions: 0, deliveries: 0 };

/** Uses a real connection, because an injected request gets a body that Node would not have sent. */
async function asked(method: 'GET' | 'HEAD', url: string, headers: Headers = {}) {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const outgoing = request({
    method,
    host: '127.0.0.1',
    port,
    path: url,
    headers: { host, ...headers },
    agent: false,
  }).end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const { date: _date, 'x-request-id': _requestId, ...same } = response.headers;
  return { status: response.statusCode, headers: same, bytes: await buffer(response) };
}

/** Opens a link as a person's click does, and returns the state of the browser. */
async function openTestLink(files: readonly string[]) {
  const sent = await sentLink(exchange, files);
  const response = await post(`/d/${sent.token}`, 'gesture=pressed');
  expect(response.statusCode).toBe(303);
  const cookie = String(response.headers['set-cookie']);
  const page = String(response.headers.location);
  return { ...sent, page, cookie, secret: { cookie: cookie.split(';', 1)[0] as string } };
}

describe('the page a mail points to', () => {
  test('changes nothing, however often it is visited', async () => {
    const sent = await sentLink(exchange, ['a.txt']);
    for (const method of ['GET', 'HEAD', 'GET'] as const) {
      const headers = { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-user': '?1' };
      const response = await app.inject({ method, url: `/d/${sent.token}`, headers });
      expect(response.statusCode).toBe(200);
      expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(response.headers['set-cookie']).toBeUndefined();
      expect(response.body.includes(sent.sender.email)).toBe(method === 'GET');
    }
    expect(await trace(sent)).toEqual(untouched);
  });

  test('shows who sent the link and when, but no file, message, receiver or reference', async () => {
    const sent = await sentLink(exchange, ['confidential.txt']);
    await exchange.database.query("update accounts set display_name = 'Plant 2' where id = $1", [
      sent.sender.accountId,
    ]);
    const body = (await get(`/d/${sent.token}`)).body.replaceAll('<wbr/>', '');
    expect(body).toMatch(/<h1[^>]*>Plant 2 has sent you files<\/h1>/);
    expect(body).toContain(sent.sender.email);
    expect(body).toContain(`datetime="${sent.link.createdAt.toISOString()}"`);
    for (const secret of ['confidential', sent.link.message, sent.link.receiver, toReference(sent.dropId)]) {
      expect(body).not.toContain(secret);
    }
  });
});

test.each([
  ['mail', '', 'which we send by e\u2011mail.'],
  ['sms', '46701234567', 'which we send by text message.'],
] as const)('the page a mail points to says that a code will be asked for: %s', async (secondFactor, phone, text) => {
  await app.close();
  app = buildTestServer(exchange, { sms: { send: async () => ({ outcome: 'sent', response: '202' }) } });
  const sent = await sentLink(exchange, ['a.txt']);
  expect((await get(`/d/${sent.token}`)).body).not.toContain('six-digit code');
  await exchange.database.query('update links set phone = $2 where drop_id = $1', [sent.dropId, phone]);
  await exchange.database.query('update drops set second_factor = $2 where id = $1', [sent.dropId, secondFactor]);
  const { body } = await get(`/d/${sent.token}`);
  expect(body).toContain(`You will be asked for a six-digit code, ${text}`);
  expect(body).not.toContain(phone || sent.link.receiver);
});

test('a revoked link says when it was disabled, and whom to ask, with the reference', async () => {
  const sent = await sentLink(exchange, ['a.txt']);
  const reference = toReference(sent.dropId);
  await exchange.engines.store.drops.revoke(sent.sender.accountId, sent.dropId);
  const [drop] = await exchange.database.query<{ revoked_at: Date }>('select revoked_at from drops where id = $1', [
    sent.dropId,
  ]);
  const { statusCode, body } = await get(`/d/${sent.token}`);
  expect(statusCode).toBe(410);
  expect(body).toMatch(new RegExp(`It was disabled on <time datetime="${drop?.revoked_at.toISOString()}"`));
  expect(body).toContain(`href="mailto:${sent.sender.email}?subject=${reference}"`);
});

describe('a form opens the link only if a person sent it:', () => {
  const cases: [what: string, payload: string, headers: Headers, opens: boolean][] = [
    ['after a press the script vouches for', 'gesture=pressed', {}, true],
    [
      'the same, with what a browser adds',
      'gesture=pressed',
      { 'sec-fetch-site': 'same-origin', 'sec-fetch-user': '?1' },
      true,
    ],
    [
      'without scripts, by a person as the browser says',
      'gesture=',
      { 'sec-fetch-user': '?1', 'sec-fetch-site': 'same-origin' },
      true,
    ],
    ['with the word typed', 'word=OPEN', {}, true],
    ['with the word in the reader’s language', 'word=%C3%96PPNA', { 'accept-language': 'sv' }, true],
    ['with that word in small letters and without its accent', 'word=oppna', { 'accept-language': 'sv' }, true],
    ['with the word of another language', 'word=OPEN', { 'accept-language': 'sv' }, false],
    ['with the word in small letters and spaces', 'word=+open+', {}, true],
    ['without scripts, by nobody as the browser says', 'gesture=', { 'sec-fetch-site': 'same-origin' }, false],
    ['by a script in the page', 'gesture=script', {}, false],
    ['by a script in the page, with a person’s mark', 'gesture=script', { 'sec-fetch-user': '?1' }, false],
    ['with another word', 'word=CLOSE', {}, false],
    ['with no word', 'word=', {}, false],
    ['without its field', '', {}, false],
    ['without its field, with a person’s mark', '', { 'sec-fetch-user': '?1' }, false],
    ['with the mark in the wrong spelling', 'gesture=', { 'sec-fetch-user': '?0' }, false],
    ['from another site', 'gesture=pressed', { 'sec-fetch-site': 'cross-site', 'sec-fetch-user': '?1' }, false],
    ['from a sister site', 'gesture=pressed', { 'sec-fetch-site': 'same-site', 'sec-fetch-user': '?1' }, false],
  ];
  test.each(cases)('%s', async (_what, payload, headers, opens) => {
    const sent = await sentLink(exchange, ['a.txt']);
    const response = await post(`/d/${sent.token}`, payload, headers);
    if (opens) {
      expect(response.statusCode).toBe(303);
      expect(response.headers.location).toMatch(/^\/download\/[A-Za-z0-9_-]{16}\/$/);
      expect(await trace(sent)).toEqual({ ...untouched, opened: true, sessions: 1 });
    } else {
      expect(response.statusCode).toBe(200);
      expect(response.headers['set-cookie']).toBeUndefined();
      expect(response.body).toContain('<form method="post"');
      expect(await trace(sent)).toEqual(untouched);
    }
  });

  test('refuses JSON, multipart and a form that is too large', async () => {
    const sent = await sentLink(exchange, ['a.txt']);
    for (const [type, payload] of [
      ['application/json', '{"gesture":"pressed"}'],
      ['multipart/form-data; boundary=x', '--x--'],
      ['text/plain', 'gesture=pressed'],
      [form, `gesture=pressed&x=${'x'.repeat(20_000)}`],
    ] as const) {
      const response = await post(`/d/${sent.token}`, payload, { 'content-type': type });
      expect([413, 415]).toContain(response.statusCode);
      expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
    }
    expect(await trace(sent)).toEqual(untouched);
  });
});

describe('the cookie', () => {
  test('is sent only to the page of its link', async () => {
    const { cookie, page, link, token } = await openTestLink(['a.txt']);
    const [pair, ...attributes] = cookie.split('; ');
    expect(pair).toMatch(/^waybill_link=[A-Za-z0-9_-]{43}$/);
    expect(attributes).toEqual([
      `Path=${page}`,
      'HttpOnly',
      'SameSite=Lax',
      `Expires=${link.expiresAt.toUTCString()}`,
      'Secure',
    ]);
    expect(cookie).not.toContain(token);
    expect(page).not.toContain(token);
  });

  test('of several links are distinguished by the URL', async () => {
    const [one, other] = [await openTestLink(['one.txt']), await openTestLink(['other.txt'])];
    const cookie = `${one.secret.cookie}; foreign=1; ${other.secret.cookie}`;
    expect((await get(one.page, { cookie })).body).toContain('one.txt');
    expect((await get(other.page, { cookie })).body).toContain('other.txt');
  });

  test('finds nothing if it is missing, made up or of another link', async () => {
    const [mine, other] = [await openTestLink(['a.txt']), await openTestLink(['b.txt'])];
    for (const cookie of [
      '',
      other.secret.cookie,
      `waybill_link=${mine.token}`,
      `waybill_link=${randomBytes(32).toString('base64url')}`,
    ]) {
      for (const path of ['', 'all.zip', 'SHA256SUMS', 'delivered', 'files/any/a.txt', 'folders/any.1']) {
        const response = await get(`${mine.page}${path}`, { cookie });
        expect(response.statusCode).toBe(404);
        expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
        expect(response.body).toContain('<h1 tabindex="-1">Open the link in your message</h1>');
      }
    }
    // A token that never existed gets the same response.
    const unknown = await get('/download/AAAAAAAAAAAAAAAA/', mine.secret);
    expect([unknown.statusCode, unknown.body]).toEqual([404, expect.stringContaining('Open the link in your message')]);
  });
});

describe('the receiver’s page', () => {
  test('shows the message, each file with its digest and link, and the ZIP', async () => {
    const { page, secret, link } = await openTestLink(['a b.txt', 'ö?#.txt']);
    const { body, statusCode } = await get(page, secret);
    expect(statusCode).toBe(200);
    for (const file of await exchange.engines.store.links.files(link)) {
      expect(body).toContain(file.sha256.toString('hex'));
      expect(body).toContain(`href="files/${file.id}/${encodeURIComponent(file.name)}"`);
    }
    expect(body).toContain(link.message);
    expect(body).toContain('href="all.zip"');
  });

  test('stays small with many files', async () => {
    const { page, secret } = await openTestLink(
      Array.from({ length: 200 }, (_, index) => `report-of-the-year-${index}.pdf`),
    );
    const plain = await get(page, secret);
    const gzip = await get(page, { ...secret, 'accept-encoding': 'gzip, deflate' });
    const brotli = await get(page, { ...secret, 'accept-encoding': 'gzip, deflate, br, zstd' });
    expect([plain, gzip, brotli].map(({ headers }) => headers['content-encoding'])).toEqual([undefined, 'gzip', 'br']);
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(plain.body);
    expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(plain.body);
    expect(plain.rawPayload.length).toBeGreaterThan(100_000);
    expect(gzip.rawPayload.length).toBeLessThan(50_000);
    expect(brotli.rawPayload.length).toBeLessThan(50_000);
    for (const { headers } of [plain, gzip, brotli]) expect(headers.vary).toContain('accept-encoding');
    expect(
      (await get(page, { ...secret, 'accept-encoding': 'br;q=0, gzip;q=0' })).headers['content-encoding'],
    ).toBeUndefined();
  });

  test.each(['identity', 'gzip', 'br'])('has the same headers for HEAD as for GET, as %s', async (coding) => {
    const { page, secret } = await openTestLink(['a.txt', 'b.txt']);
    const headers = { ...secret, 'accept-encoding': coding };
    const [described, shown] = [await asked('HEAD', page, headers), await asked('GET', page, headers)];
    expect([described.status, described.bytes.length]).toEqual([200, 0]);
    expect(described.headers).toEqual(shown.headers);
    expect(Number(described.headers['content-length'])).toBe(shown.bytes.length);
  });

  test('is not found by HEAD without its cookie', async () => {
    const { page } = await openTestLink(['a.txt']);
    for (const path of [page, `${page}all.zip`]) {
      const [described, shown] = [await asked('HEAD', path), await asked('GET', path)];
      expect([described.status, described.bytes.length]).toEqual([404, 0]);
      expect(described.headers).toEqual(shown.headers);
    }
  });

  test('says that its deadline has passed', async () => {
    const { page, secret, dropId, token } = await openTestLink(['a.txt']);
    await exchange.expire(dropId);
    for (const [url, headers] of [
      [page, secret],
      [`${page}all.zip`, secret],
      [`/d/${token}`, {}],
    ] as const) {
      const response = await get(url, headers);
      expect(response.statusCode).toBe(410);
      expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
    }
    expect((await post(`/d/${token}`, 'gesture=pressed')).statusCode).toBe(410);
  });
});

describe('a file', () => {
  test('is sent whole or in part, with its length, digest and name', async () => {
    const { page, secret, link } = await openTestLink(['a.txt']);
    const [file] = await exchange.engines.store.links.files(link);
    const url = `${page}files/${file?.id}/whatever`;
    const whole = await get(url, secret);
    expect([whole.statusCode, whole.body]).toEqual([200, 'content of a.txt']);
    expect(whole.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename=a.txt',
      'content-security-policy': "sandbox; default-src 'none'",
      'content-length': '16',
      'accept-ranges': 'bytes',
      'repr-digest': `sha-256=:${file?.sha256.toString('base64')}:`,
    });
    const part = await get(url, { ...secret, range: 'bytes=8-', 'accept-encoding': 'gzip' });
    expect([part.statusCode, part.body]).toEqual([206, 'of a.txt']);
    expect(part.headers['content-encoding']).toBeUndefined();
    const beyond = await get(url, { ...secret, range: 'bytes=99-' });
    expect(beyond.statusCode).toBe(416);
  });

  test('is described by HEAD, which does not count as a delivery', async () => {
    const sent = await openTestLink(['a.txt']);
    const [file] = await exchange.engines.store.links.files(sent.link);
    const url = `${sent.page}files/${file?.id}/a.txt`;
    const response = await app.inject({ method: 'HEAD', url, headers: { host, ...sent.secret } });
    expect([response.statusCode, response.body, response.headers['content-length']]).toEqual([200, '', '16']);
    expect((await trace(sent)).deliveries).toBe(0);
  });

  test('is not found if it belongs to another drop', async () => {
    const [mine, other] = [await openTestLink(['a.txt']), await openTestLink(['b.txt'])];
    const [file] = await exchange.engines.store.links.files(other.link);
    for (const id of [file?.id, '..', '%2e%2e%2f', "'", 'x'.repeat(100)]) {
      expect((await get(`${mine.page}files/${id}/b.txt`, mine.secret)).statusCode).toBe(404);
    }
    expect((await trace(other)).deliveries).toBe(0);
  });

  test('counts as delivered when all of it was sent, in however many requests', async () => {
    const sent = await openTestLink(['a.txt']);
    const [file] = await exchange.engines.store.links.files(sent.link);
    const origin = await app.listen({ port: 0, host: '127.0.0.1' });
    const fetched = async (range?: string) => {
      const response = await fetch(`${origin}${sent.page}files/${file?.id}/a.txt`, {
        headers: { ...sent.secret, ...(range === undefined ? {} : { range }) },
      });
      return buffer(response.body as never);
    };
    await fetched('bytes=9-');
    await fetched('bytes=3-5');
    expect(await trace(sent)).toMatchObject({ completed: false });
    await Promise.all([fetched('bytes=5-9'), fetched('bytes=0-3')]);
    await expect.poll(() => trace(sent)).toEqual({ opened: true, completed: true, sessions: 1, deliveries: 1 });
  });
});

describe('the page of a receiver, besides the files,', () => {
  test('offers their checksums as a file that sha256sum accepts in the unpacked ZIP', async () => {
    const sent = await openTestLink(['reports/2026/q1.txt', 'q1.txt', 'CON', 'ö (1).txt']);
    const sums = await get(`${sent.page}SHA256SUMS`, sent.secret);
    expect(sums.headers['content-disposition']).toBe('attachment; filename="SHA256SUMS"');
    const folder = mkdtempSync(join(tmpdir(), 'waybill-sums-'));
    const run = promisify(execFile);
    const options = { cwd: folder, env: { ...process.env, LC_ALL: 'C.UTF-8' } };
    writeFileSync(join(folder, 'SHA256SUMS'), sums.rawPayload);
    writeFileSync(join(folder, 'all.zip'), (await get(`${sent.page}all.zip`, sent.secret)).rawPayload);
    await run('unzip', ['-q', 'all.zip'], options);
    const { stdout } = await run('sha256sum', ['--strict', '-c', 'SHA256SUMS'], options);
    // In the order of the page.
    expect(stdout).toBe('_CON: OK\nö (1).txt: OK\nq1.txt: OK\nreports/2026/q1.txt: OK\n');
    rmSync(folder, { recursive: true });
  });

  test('tells its script which files were sent in full', async () => {
    const sent = await openTestLink(['a.txt', 'b.txt']);
    const delivered = async () => (await get(`${sent.page}delivered`, sent.secret)).json<string[]>();
    expect(await delivered()).toEqual([]);
    const [, b] = await exchange.engines.store.links.files(sent.link);
    await asked('GET', `${sent.page}files/${b?.id}/b.txt`, sent.secret);
    await expect.poll(delivered).toEqual([b?.id]);
  });
});

describe('all files as one ZIP', () => {
  test('has the announced length, and counts as delivered when its last byte was sent', async () => {
    const sent = await openTestLink(['a.txt', 'ö.txt']);
    const origin = await app.listen({ port: 0, host: '127.0.0.1' });
    const response = await fetch(`${origin}${sent.page}all.zip`, { headers: sent.secret });
    const bytes = await buffer(response.body as never);
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    expect(response.headers.get('content-type')).toBe('application/zip');
    expect(response.headers.get('accept-ranges')).toBe('bytes');
    expect(bytes.includes('content of ö.txt')).toBe(true);
    await expect.poll(() => trace(sent)).toEqual({ opened: true, completed: true, sessions: 1, deliveries: 2 });
  });

  test('can be that of one folder, which is resumed and recorded like the whole', async () => {
    const sent = await openTestLink(['a.txt', 'plans/1.txt', 'plans/old/2.txt', 'plans of it/3.txt']);
    const other = await openTestLink(['plans/secret.txt']);
    const { body } = await get(sent.page, sent.secret);
    const folders = [...body.matchAll(/href="(folders\/[^"]+)" download aria-label="Download the folder ([^"]+)"/g)];
    expect(folders.map(([, , name]) => name)).toEqual(['plans', 'plans/old', 'plans of it']);
    const href = `${sent.page}${folders[0]?.[1]}`;
    const whole = await get(href, sent.secret);
    expect(whole.headers['content-disposition']).toContain('plans.zip"');
    for (const name of ['plans/1.txt', 'plans/old/2.txt']) expect(whole.rawPayload.includes(name), name).toBe(true);
    for (const name of ['a.txt', '3.txt']) expect(whole.rawPayload.includes(name), name).toBe(false);
    const rest = await get(href, { ...sent.secret, range: 'bytes=20-', 'if-range': String(whole.headers['etag']) });
    expect([rest.statusCode, rest.rawPayload]).toEqual([206, whole.rawPayload.subarray(20)]);
    await asked('GET', href, sent.secret);
    await expect.poll(() => trace(sent)).toMatchObject({ completed: false, deliveries: 2 });
    const [foreign] = await exchange.engines.store.links.files(other.link);
    for (const wrong of [`${foreign?.id}.1`, 'any', `${folders[0]?.[1]?.slice(8)}1`]) {
      expect((await get(`${sent.page}folders/${wrong}`, sent.secret)).statusCode, wrong).toBe(404);
    }
  });

  test('names its entries so that every system can unpack them', async () => {
    const names = ['Report.txt', 'report.TXT', 'CON.txt', 'rep\u200bort.txt', 'plan?.txt', '👩\u200d🚀.png'];
    const sent = await openTestLink(names);
    const bytes = (await get(`${sent.page}all.zip`, sent.secret)).rawPayload;
    const folder = mkdtempSync(join(tmpdir(), 'waybill-zip-'));
    writeFileSync(join(folder, 'all.zip'), bytes);
    const env = { ...process.env, LC_ALL: 'C.UTF-8' };
    const { stdout } = await promisify(execFile)('unzip', ['-Z1', join(folder, 'all.zip')], { env });
    rmSync(folder, { recursive: true });
    expect(stdout.trim().split('\n')).toEqual([
      'Report.txt',
      'report (2).TXT',
      '_CON.txt',
      'rep\u200bort (3).txt',
      'plan_.txt',
      '👩\u200d🚀.png',
    ]);
  });

  test('has the same headers for HEAD as for GET, and is then neither read nor delivered', async () => {
    const sent = await openTestLink(['a.txt', 'ö.txt']);
    const url = `${sent.page}all.zip`;
    const described = await asked('HEAD', url, sent.secret);
    expect([described.status, described.bytes.length]).toEqual([200, 0]);
    expect(await trace(sent)).toEqual({ ...untouched, opened: true, sessions: 1 });
    const whole = await asked('GET', url, sent.secret);
    expect(described.headers).toEqual(whole.headers);
    expect(Number(described.headers['content-length'])).toBe(whole.bytes.length);

    // The response is the same without the objects, because nothing is read.
    const files = await exchange.engines.store.links.files(sent.link);
    await exchange.engines.objects.delete(files.map(({ id }) => `${id}/00000000`));
    expect(await asked('HEAD', url, sent.secret)).toEqual(described);
  });

  test('breaks off at a damaged file, and does not count it as delivered', async () => {
    const sent = await openTestLink(['a.txt', 'b.txt']);
    const [, second] = await exchange.engines.store.links.files(sent.link);
    await exchange.engines.objects.delete([`${second?.id}/00000000`]);
    const origin = await app.listen({ port: 0, host: '127.0.0.1' });
    const response = fetch(`${origin}${sent.page}all.zip`, { headers: sent.secret });
    await expect(response.then(({ body }) => buffer(body as never))).rejects.toThrow();
    // Closing waits until the delivery is recorded.
    await app.close();
    const files = await exchange.engines.store.links.files(sent.link);
    expect(files.find(({ name }) => name === 'b.txt')).toMatchObject({ complete: false });
    expect(await trace(sent)).toMatchObject({ completed: false });
  });

  test('counts nothing and holds no connection if the receiver breaks it off', async () => {
    const actor = await exchange.account('r@example.org');
    await exchange.upload(actor, 'large.bin', randomBytes(30_000_000));
    const { token, link } = await sentLink(exchange, ['a.txt'], ['r@example.org'], actor);
    const response = await post(`/d/${token}`, 'gesture=pressed');
    const cookie = String(response.headers['set-cookie']).split(';', 1)[0] as string;
    const origin = await app.listen({ port: 0, host: '127.0.0.1' });
    const outgoing = request(`${origin}${response.headers.location}all.zip`, { headers: { cookie } }).end();
    const [zip] = (await once(outgoing, 'response')) as [IncomingMessage];
    await once(zip, 'data');
    outgoing.destroy();
    const connections = () => promisify(app.server.getConnections.bind(app.server))();
    await expect.poll(connections).toBe(0);
    expect((await fetch(`${origin}/d/${token}`)).status).toBe(200);
    expect((await exchange.engines.store.links.files(link)).map(({ complete }) => complete)).toEqual([false, false]);
  });
});

describe('a link that does not exist', () => {
  test.each(['x', randomBytes(32).toString('base64url'), '%00', '..%2f'])(
    'shows a page that says so: %s',
    async (token) => {
      const response = await get(`/d/${token}`);
      expect(response.statusCode).toBe(404);
      expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(failures).toEqual(['link:127.0.0.1']);
    },
  );

  test('gets 429 after too many guesses', async () => {
    await app.close();
    app = build(17);
    const response = await get(`/d/${randomBytes(32).toString('base64url')}`);
    expect(response.statusCode).toBe(429);
    expect(response.headers['retry-after']).toBe('17');
    // Guesses do not stop a person who has a link.
    const { token } = await sentLink(exchange, ['a.txt']);
    expect((await get(`/d/${token}`)).statusCode).toBe(200);
  });

  test('includes a link for uploads at the address of downloads', async () => {
    const actor = await exchange.account('r@example.org');
    await setReceivers(exchange.engines, actor, '', [{ email: 'r@example.org' }]);
    await dispatchDraft(exchange.engines, actor, { draft: '', parameters: {} }, 'uploadfiles');
    const [drop] = await exchange.database.query<{ id: string }>('select id from drops where account_id = $1', [
      actor.accountId,
    ]);
    const token = await deriveToken(exchange, actor, drop?.id as string, 0);
    expect((await get(`/d/${token}`)).statusCode).toBe(404);
    expect((await post(`/d/${token}`, 'gesture=pressed')).statusCode).toBe(404);
  });
});

describe('the language', () => {
  const language = (body: string) => /<html lang="([^"]+)"/.exec(body)?.[1];

  test('is the reader’s choice, then the receiver’s, then the browser’s, then the server’s', async () => {
    const sent = await sentLink(exchange, ['a.txt']);
    const url = `/d/${sent.token}`;
    const german = { 'accept-language': 'xx, en;q=0.5, de-AT;q=0.8' };
    expect(language((await get(url)).body)).toBe('en');
    expect(language((await get(url, german)).body)).toBe('de');
    await exchange.database.query("update links set language = 'sv-FI' where drop_id = $1", [sent.dropId]);
    expect(language((await get(url, german)).body)).toBe('sv');
    expect(language((await get(`${url}?lang=fr`, german)).body)).toBe('fr');
    for (const odd of ['?lang=', '?lang=fr&lang=es', '?lang[]=fr', '?lang=%3Cscript%3E', '?lang=__proto__']) {
      expect(language((await get(`${url}${odd}`, german)).body)).toBe('sv');
    }
  });

  test('is kept on the next page if it was chosen, and cannot redirect elsewhere', async () => {
    const { token } = await sentLink(exchange, ['a.txt']);
    const location = async (lang: string) =>
      (await post(`/d/${token}?lang=${lang}`, 'gesture=pressed')).headers.location;
    expect(await location('sv')).toMatch(/^\/download\/[\w-]{16}\/\?lang=sv$/);
    expect(await location('%0d%0aSet-Cookie:x=1')).toMatch(/^\/download\/[\w-]{16}\/\?lang=%0D%0ASet-Cookie%3Ax%3D1$/);
    expect(await location('//evil.example.org')).toMatch(/^\/download\/[\w-]{16}\/\?lang=%2F%2Fevil.example.org$/);
    expect(await location('a&lang=b')).toMatch(/^\/download\/[\w-]{16}\//);
  });
});

test('a request that is rejected early gets a page', async () => {
  const { token } = await sentLink(exchange, ['a.txt']);
  const refused = async (headers: Headers) => {
    const { statusCode, headers: responseHeaders } = await get(`/d/${token}`, headers);
    return [statusCode, responseHeaders['content-type']];
  };
  expect(await refused({ host: 'evil.example.org' })).toEqual([421, 'text/html; charset=utf-8']);
  expect(await refused({ 'content-encoding': 'gzip' })).toEqual([415, 'text/html; charset=utf-8']);
});

test('every page forbids what it does not need, and has nothing inline', async () => {
  const { page, secret, token } = await openTestLink(['a.txt', 'b.txt']);
  const responses = [
    await get(`/d/${token}`),
    await post(`/d/${token}`, 'gesture=script'),
    await get(page, secret),
    await get('/d/unknown'),
    await get(page),
  ];
  for (const { headers, body } of responses) {
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|http|data:/);
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['cache-control']).toBe('no-cache, no-store, must-revalidate');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(body).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:|<script(?![^>]*\ssrc="\/assets\/)|https?:\/\//i);
  }
});

test('only the stylesheet and the scripts may be cached forever', async () => {
  const response = await get('/assets/pages.css');
  expect(response.statusCode).toBe(200);
  expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(response.headers['expires']).toBeUndefined();
  expect(response.headers['content-type']).toBe('text/css; charset=utf-8');
  for (const path of ['/assets/', '/assets/manifest.json', '/assets/..%2fmain.js', '/assets/../main.js']) {
    expect((await get(path)).statusCode).toBeGreaterThanOrEqual(400);
  }
});

describe('a link that asks for a code', () => {
  const careful = () => exchange.engines.store.accounts;
  /** The code that was sent for the only browser in which the link is open. */
  const codeFor = async ({ dropId, link }: SentLink): Promise<string> => {
    const [session] = await exchange.database.query<{ code_id: string }>(
      'select code_id from link_sessions where drop_id = $1',
      [dropId],
    );
    const key = await exchange.engines.store.links.key(link);
    if (!key) throw new Error('no key');
    return deriveCode(await exchange.engines.dayKeys.unwrap(key.wrapped, key.day, dropId), session?.code_id as string);
  };

  test('offers a code to a browser without one, and accepts it, even if the form is sent twice', async () => {
    const sent = await openTestLink(['a.txt']);
    expect((await get(sent.page, sent.secret)).body).toContain('a.txt');
    // A code is required from now on, even of browsers that were already let in.
    await careful().setChoices(sent.sender.accountId, { secondFactor: 'mail' });
    const page = await get(sent.page, sent.secret);
    expect(page.body).toContain('action="resend"');
    expect(page.body).not.toContain('a.txt');
    const resent = await post(`${sent.page}resend?lang=sv`, '', sent.secret);
    expect([resent.statusCode, resent.headers.location]).toEqual([303, './?code=new&lang=sv']);
    const renewed = (await get(`${sent.page}?code=new`, sent.secret)).body;
    expect(renewed).toMatch(/role="alert"[^]*A new code was sent at <time[^]*Use the newest\./);
    expect(renewed).toMatch(/aria-describedby="[^"]*new-code/);
    expect((await get(sent.page, sent.secret)).body).toContain('name="code"');
    const wrong = await post(`${sent.page}code`, 'code=12', sent.secret);
    expect(wrong.body).toContain('A code has six digits.');
    expect(wrong.body).toContain(`href="${sent.page}?lang=de"`);

    const code = await codeFor(sent);
    const responses = await Promise.all([1, 2].map(() => post(`${sent.page}code`, `code=${code}`, sent.secret)));
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([303, 303]);
    expect((await get(sent.page, sent.secret)).body).toContain('a.txt');
  });

  test('asks for another code when the rule changes from mail to SMS, but not from SMS to mail', async () => {
    await app.close();
    app = buildTestServer(exchange, { sms: { send: async () => ({ outcome: 'sent', response: '202' }) } });
    const sent = await openTestLink(['a.txt']);
    await exchange.database.query("update links set phone = '46701234567' where drop_id = $1", [sent.dropId]);
    const rule = (secondFactor: 'mail' | 'sms') => careful().setChoices(sent.sender.accountId, { secondFactor });
    const isIn = async () => (await get(sent.page, sent.secret)).body.includes('a.txt');
    const file = async () => (await get(`${sent.page}all.zip`, sent.secret)).statusCode;
    const enterCode = async () => {
      await post(`${sent.page}resend`, '', sent.secret);
      expect((await post(`${sent.page}code`, `code=${await codeFor(sent)}`, sent.secret)).statusCode).toBe(303);
    };

    await rule('mail');
    await enterCode();
    expect([await isIn(), await file()]).toEqual([true, 200]);
    await rule('sms');
    expect([await isIn(), await file()]).toEqual([false, 403]);
    await enterCode();
    expect([await isIn(), await file()]).toEqual([true, 200]);
    await rule('mail');
    expect(await isIn()).toBe(true);
    // Only a code by mail can be asked for.
    await exchange.database.query("update link_sessions set passed_channel = 'mail' where drop_id = $1", [sent.dropId]);
    await exchange.database.query("update links set phone = '' where drop_id = $1", [sent.dropId]);
    await rule('sms');
    expect(await isIn()).toBe(true);
  });

  test('says when the code was sent, and does not count input that cannot be a code as a try', async () => {
    const sent = await sentLink(exchange, ['a.txt']);
    await careful().setChoices(sent.sender.accountId, { secondFactor: 'mail' });
    const response = await post(`/d/${sent.token}`, 'gesture=pressed');
    const cookie = String(response.headers['set-cookie']).split(';', 1)[0] as string;
    const page = String(response.headers.location);
    const [session] = await exchange.database.query<{ sent: Date; until: Date }>(
      `select code_expires_at - interval '10 minutes' as sent, code_expires_at as until from link_sessions
       where drop_id = $1`,
      [sent.dropId],
    );
    const { body } = await get(page, { cookie });
    for (const time of [session?.sent, session?.until]) expect(body).toContain(`datetime="${time?.toISOString()}"`);
    expect(body).toContain(`It opens the files from ${sent.sender.email}.`);

    for (const typed of ['', '12345', '1234567', '12345a', '１２３４５６']) {
      const refused = await post(`${page}code`, `code=${encodeURIComponent(typed)}`, { cookie });
      expect(refused.statusCode).toBe(403);
      expect(refused.body).toContain('A code has six digits.');
    }
    const tries = () =>
      exchange.database.query<{ code_tries: number }>('select code_tries from link_sessions where drop_id = $1', [
        sent.dropId,
      ]);
    expect(await tries()).toEqual([{ code_tries: 0 }]);
    await post(`${page}code`, 'code=000 000', { cookie });
    expect(await tries()).toEqual([{ code_tries: 1 }]);
  });

  test('refuses a form with a text that nobody can type', async () => {
    const sent = await openTestLink(['a.txt']);
    for (const typed of ['code=1%00', 'code=000000&code=%00', 'a%00=1']) {
      expect((await post(`${sent.page}code`, typed, sent.secret)).statusCode).toBe(400);
    }
  });

  test('accepts a code only from its own page', async () => {
    const sent = await openTestLink(['a.txt']);
    await careful().setChoices(sent.sender.accountId, { secondFactor: 'mail' });
    for (const path of ['code', 'resend']) {
      const headers = { ...sent.secret, 'sec-fetch-site': 'cross-site' };
      expect((await post(`${sent.page}${path}`, 'code=000000', headers)).statusCode).toBe(403);
    }
    const codes = await exchange.database.query("select from messages where drop_id = $1 and kind = 'code'", [
      sent.dropId,
    ]);
    expect(codes).toEqual([]);
  });

  test('leaves no cookie behind when the browser is closed', async () => {
    const sent = await sentLink(exchange, ['a.txt']);
    await careful().setChoices(sent.sender.accountId, { secondFactor: 'mail' });
    const response = await post(`/d/${sent.token}`, 'gesture=pressed');
    expect(String(response.headers['set-cookie'])).toMatch(
      /^waybill_link=[\w-]{43}; Path=\/download\/[\w-]{16}\/; HttpOnly; SameSite=Lax; Secure$/,
    );
  });
});

describe('the page of a receiver', () => {
  test('says for every file whether it was scanned', async () => {
    const sent = await openTestLink(['clean.txt', 'unknown.txt']);
    await exchange.database.query(
      "update files set scan = (case name when 'clean.txt' then 'clean' else 'unscanned' end)::scan_result where drop_id = $1",
      [sent.dropId],
    );
    const { body } = await get(sent.page, sent.secret);
    const [head = '', clean = '', unknown = ''] = body.split('class="file-name"');
    expect(head).toContain('1 scanned for viruses: nothing found.');
    expect(clean).not.toContain('Not scanned');
    expect(unknown).toContain('Not scanned for viruses');
    expect((await get(`${sent.page}?lang=sv`, sent.secret)).body).toContain('Inte viruskontrollerad');
  });
});

test('the page of a receiver says when all files were sent in full', async () => {
  const sent = await openTestLink(['a.txt', 'b.txt']);
  const whole = 'You have downloaded all 2 files';
  await asked(
    'GET',
    `${sent.page}files/${(await exchange.engines.store.links.files(sent.link))[0]?.id}/a.txt`,
    sent.secret,
  );
  await expect.poll(async () => (await get(sent.page, sent.secret)).body).toContain('1 of 2 downloaded');
  expect((await get(sent.page, sent.secret)).body).not.toContain(whole);
  await asked('GET', `${sent.page}all.zip`, sent.secret);
  await expect.poll(async () => (await get(sent.page, sent.secret)).body).toContain(whole);
});

describe('“Close this page here”', () => {
  test('ends the session here and on the server; the link opens another', async () => {
    const sent = await openTestLink(['a.txt']);
    expect((await get(sent.page, sent.secret)).body).toContain('<form method="post" action="done"');
    const done = await post(`${sent.page}done`, '', sent.secret);
    expect([done.statusCode, done.headers.location]).toEqual([303, 'done?lang=en']);
    expect(done.headers['set-cookie']).toBe(
      `waybill_link=; Path=${sent.page}; HttpOnly; SameSite=Lax; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Secure`,
    );
    expect(await trace(sent)).toMatchObject({ opened: true, sessions: 0 });
    // A copied cookie opens nothing.
    const [file] = await exchange.engines.store.links.files(sent.link);
    for (const path of ['', 'all.zip', `files/${file?.id}/a.txt`]) {
      expect((await get(`${sent.page}${path}`, sent.secret)).statusCode).toBe(404);
    }
    expect((await post(`/d/${sent.token}`, 'gesture=pressed')).statusCode).toBe(303);
  });

  test('can be pressed twice, keeps the chosen language, and is accepted only from its own page', async () => {
    const sent = await openTestLink(['a.txt']);
    const headers = { ...sent.secret, 'sec-fetch-site': 'cross-site' };
    expect((await post(`${sent.page}done`, '', headers)).statusCode).toBe(403);
    expect((await get(sent.page, sent.secret)).statusCode).toBe(200);
    for (const _press of [1, 2]) {
      const done = await post(`${sent.page}done?lang=de`, '', sent.secret);
      expect([done.statusCode, done.headers.location]).toEqual([303, 'done?lang=de']);
    }
  });

  test('leads to a page that can be read in every language, and only once it is closed', async () => {
    const sent = await openTestLink(['a.txt']);
    const early = await get(`${sent.page}done`, sent.secret);
    expect([early.statusCode, early.headers.location]).toEqual([303, './']);
    expect((await get(sent.page, sent.secret)).statusCode).toBe(200);
    const closed = await get(`${sent.page}done?lang=de`);
    expect(closed.statusCode).toBe(200);
    expect(closed.body).toContain('Diese Seite ist geschlossen');
    expect(closed.body).toContain(`href="${sent.page}done?lang=sv"`);
  });

  test('ends no other session', async () => {
    const [mine, other] = [await openTestLink(['a.txt']), await openTestLink(['b.txt'])];
    await post(`${mine.page}done`, '', other.secret);
    await post(`${other.page}done`, '', mine.secret);
    for (const { page, secret } of [mine, other]) expect((await get(page, secret)).statusCode).toBe(200);
  });
});
