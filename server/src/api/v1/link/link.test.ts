import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { openRequestLink } from '../../../../test/file-requests.ts';
import { deriveToken, sentLink } from '../../../../test/links.ts';
import { MemoryLimits } from '../../../../test/memory/memory-limits.ts';
import { type AskV1, requestV1 } from '../../../../test/request-v1.ts';
import { buildTestServer, postForm, testHost } from '../../../../test/server.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import { setAccountDisabled } from '../../../domain/accounts/change-account.ts';
import type { Actor } from '../../../domain/actor.ts';
import { revokeDrop } from '../../../domain/drops/revoke-drop.ts';
import { deriveCode } from '../../../domain/links/issue-code.ts';
import type { Link } from '../../../domain/links/link-store.ts';
import { tokenDigest } from '../../../domain/links/link-token.ts';
import { openLink } from '../../../domain/links/open-link.ts';
import { checkUpload } from '../../../domain/uploads/check-upload.ts';
import { tusType } from '../../../http/transfer/tus.ts';
import type { LinkRoute } from '../route.ts';
import { keyRoutes, routes } from '../routes.ts';

const { exchange, app } = await useTestServer();
const { engines } = exchange;
const { query } = exchange.database;

const ask = (method: LinkRoute['method'], path: string, more: AskV1 = {}) => requestV1(app, method, path, more);
const open = (token: string) => ask('POST', '/link/open', { body: { secret: token } });
const openSession = async (token: string) => (await open(token)).json().session as string;

/** A contact's link, and its token. */
async function requestLink() {
  const { actor, link } = await openRequestLink(exchange);
  return { actor, link, token: await deriveToken(exchange, actor, link.dropId, 0) };
}

async function disable(accountId: string): Promise<void> {
  const account = await engines.store.accounts.byId(accountId);
  if (!account) throw new Error('no account');
  await setAccountDisabled(engines, account, true);
}

/** Reads the traces of an opening. */
async function readTraces({ dropId }: Pick<Link, 'dropId'>) {
  const [link] = await query<{ opened: boolean }>(
    'select opened_at is not null as opened from links where drop_id = $1',
    [dropId],
  );
  const sessions = await query('select from link_sessions where drop_id = $1', [dropId]);
  return { opened: link?.opened, sessions: sessions.length };
}

const tus = { 'tus-resumable': '1.0.0' };
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const base64 = (text: string) => Buffer.from(text).toString('base64');

async function begin(key: string, path: string, size: number) {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const metadata = `filename ${base64(name)},path ${base64(path)}`;
  const headers = { ...tus, 'upload-length': String(size), 'upload-metadata': metadata };
  const response = await ask('POST', '/link/uploads', { key, headers });
  return { ...response, id: String(response.headers.location).split('/').at(-1) as string };
}

const patch = (key: string, id: string, offset: number, body: Buffer) =>
  ask('PATCH', `/link/uploads/${id}`, {
    key,
    body,
    headers: { ...tus, 'upload-offset': String(offset), 'content-type': tusType },
  });

/** Uploads a file and has it checked, as a worker does. */
async function upload(key: string, link: Link, path: string, content: string): Promise<string> {
  const bytes = Buffer.from(content);
  const { id } = await begin(key, path, bytes.length);
  expect((await patch(key, id, 0, bytes)).status).toBe(204);
  await checkUpload(engines, link.accountId, id, new AbortController().signal);
  return id;
}

describe('every operation about a link', () => {
  const withSession = routes.filter(({ access }) => access !== undefined && access !== 'link');
  test.each(withSession.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s takes the session of a program, of the right kind of link, and nothing else',
    async (_name, route) => {
      const owner = await exchange.account();
      const [download, asked] = [await sentLink(exchange, ['a.txt']), await requestLink()];
      const path = route.path.replace(/:\w+/g, randomUUID());
      const status = async (key: string | undefined, headers: Record<string, string> = {}) =>
        (await ask(route.method, path, { key, headers, ...(route.body ? { body: route.example } : {}) })).status;

      const browser = await openLink(engines, download.link);
      const program = await openSession(download.token);
      for (const wrong of [
        undefined,
        owner.apiKey,
        download.token,
        browser,
        `wbl_${browser}`,
        program.slice('wbl_'.length),
        `wbl_${randomBytes(32).toString('base64url')}`,
      ]) {
        expect(await status(wrong), wrong).toBe(401);
      }
      expect(await status(undefined, { cookie: `waybill_link=${program}` })).toBe(401);
      expect(await status(undefined, { authorization: `Basic ${base64(`${owner.email}:${program}`)}` })).toBe(401);

      const other = await openSession(asked.token);
      const [right, wrong] = route.linkType === 'uploadfiles' ? [other, program] : [program, other];
      // An operation that exists for the other kind of link only does not exist for this one.
      if (route.linkType) expect(await status(wrong)).toBe(404);
      expect([401, 403]).not.toContain(await status(right));

      await query("update link_sessions set expires_at = now() - interval '1 second'");
      expect(await status(right)).toBe(401);
    },
  );

  test.each(withSession.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s asks for the code first, if it shows or changes anything',
    async (_name, route) => {
      const { token } = await strictLink(route.linkType ?? 'downloadfiles');
      const key = await openSession(token);
      const { status, json } = await ask(route.method, route.path.replace(/:\w+/g, randomUUID()), {
        key,
        ...(route.body ? { body: route.example } : {}),
      });
      // It is about links for all receivers, of which this is none.
      if (route.path === '/link/receiver') expect(status).toBe(404);
      else if (route.access === 'link-program-pending') expect([200, 204, 403]).toContain(status);
      else expect(status).toBe(403);
      if (route.access === 'link-program' && route.method !== 'HEAD') expect(json().code).toBe('code_required');
    },
  );

  test('a session opens nothing else: no operation of a key, no page, no account', async () => {
    const { token } = await sentLink(exchange, ['a.txt']);
    const session = await openSession(token);
    for (const route of keyRoutes) {
      const path = `${route.path.replace(/:\w+/g, randomUUID())}${route.path === '/events/stream' ? '?cursor=*' : ''}`;
      const { status } = await ask(route.method, path, { key: session, ...(route.body ? { body: {} } : {}) });
      expect([route.path, status]).toEqual([route.path, 401]);
    }
    const handle = createHash('sha256').update(`handle:${session}`).digest('base64url').slice(0, 16);
    const page = await app.inject({
      url: `/download/${handle}/`,
      headers: { host: testHost, cookie: `waybill_link=${session}` },
    });
    expect(page.statusCode).toBe(404);
  });
});

/** A link that requires a code by mail. */
async function strictLink(type: Link['type'] = 'downloadfiles') {
  const { token, link } = type === 'downloadfiles' ? await sentLink(exchange, ['a.txt']) : await requestLink();
  await query("update drops set second_factor = 'mail' where id = $1", [link.dropId]);
  return { token, link };
}

async function readCode(session: string, { dropId: id }: Link): Promise<string> {
  const [row] = await query<{ code_id: string }>('select code_id from link_sessions where digest = $1', [
    tokenDigest(session),
  ]);
  const [drop] = await query<{ account_id: string }>('select account_id from drops where id = $1', [id]);
  const key = await engines.store.links.key({ accountId: drop?.account_id as string, dropId: id });
  if (!row || !key) throw new Error('no code');
  return deriveCode(await engines.dayKeys.unwrap(key.wrapped, key.day, id), row.code_id);
}
const toOther = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

describe('opening a link', () => {
  test('is recorded as a click is: once, with evidence and an audit entry', async () => {
    const { token, link } = await sentLink(exchange, ['a.txt']);
    const { status, json, headers } = await open(token);
    expect([status, headers['set-cookie']]).toEqual([201, undefined]);
    expect(json()).toMatchObject({ kind: 'download', code: null, session: expect.stringMatching(/^wbl_/) });
    const day = Date.parse(json().session_expires_at) - Date.now();
    expect(day / 3_600_000).toBeCloseTo(24, 1);
    expect(await readTraces(link)).toEqual({ opened: true, sessions: 1 });
    const evidence = await query("select from evidence_entries where drop_id = $1 and kind = 'link.opened'", [
      link.dropId,
    ]);
    expect(evidence).toHaveLength(1);
    const audit = await query<{ author_kind: string; address: string }>(
      "select author_kind, author_address as address from audit_entries where account_id = $1 and action = 'link.opened'",
      [link.accountId],
    );
    expect(audit).toEqual([{ author_kind: 'link', address: '192.0.2.7' }]);
  });

  test.each<[string, { method: 'GET' | 'HEAD' | 'POST'; url: string; payload?: string }]>([
    ['GET', { method: 'GET', url: '/d/TOKEN' }],
    ['HEAD', { method: 'HEAD', url: '/d/TOKEN' }],
    ['a form that a script sends', { method: 'POST', url: '/d/TOKEN', payload: 'gesture=script' }],
    ['a form without its field', { method: 'POST', url: '/d/TOKEN', payload: '' }],
    ['GET of the operation', { method: 'GET', url: '/api/v1/link/open?secret=TOKEN' }],
    ['HEAD of the operation', { method: 'HEAD', url: '/api/v1/link/open?secret=TOKEN' }],
    ['the token in the query of a POST', { method: 'POST', url: '/api/v1/link/open?secret=TOKEN' }],
    ['the token in a form', { method: 'POST', url: '/api/v1/link/open', payload: 'secret=TOKEN' }],
  ])('is not what a mail scanner does: %s', async (_what, request) => {
    const { token, link } = await sentLink(exchange, ['a.txt']);
    const before = await readTraces(link);
    const { payload, url, ...rest } = request;
    await app.inject({
      ...rest,
      url: url.replace('TOKEN', token),
      headers: {
        host: testHost,
        ...(payload === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(payload === undefined ? {} : { payload: payload.replace('TOKEN', token) }),
    });
    expect(before).toEqual({ opened: false, sessions: 0 });
    expect(await readTraces(link)).toEqual(before);
  });

  test('says whom to ask when the link has expired or was revoked, also to a program that had opened it', async () => {
    for (const [code, end] of [
      ['link_ended', (link: Link) => exchange.expire(link.dropId)],
      ['link_revoked', (link: Link) => engines.store.drops.revoke(link.accountId, link.dropId)],
    ] as const) {
      const { token, link, sender } = await sentLink(exchange, ['a.txt']);
      const key = await openSession(token);
      await end(link);
      for (const response of [await open(token), await ask('GET', '/link/drop', { key })]) {
        expect([response.status, response.json().code]).toEqual([410, code]);
        expect(response.json().detail).toContain(`Ask ${sender.email} for a new one, and name the reference WB-`);
      }
    }
  });

  test('with tokens that do not exist is limited for the address', async () => {
    const failureLimit = new MemoryLimits().failureLimit({ failures: 3, seconds: 60 });
    const limited = buildTestServer(exchange, { failureLimit });
    const token = () => ({ body: { secret: randomBytes(32).toString('base64url') } });
    const responses: Awaited<ReturnType<typeof requestV1>>[] = [];
    for (let time = 0; time < 5; time += 1) {
      responses.push(await requestV1(limited, 'POST', '/link/open', token()));
    }
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 429, 429]);
    expect(responses[0]?.json().detail).toContain('There is no such link of this kind. Send it whole');
    // The right link still works from there.
    const { token: right } = await sentLink(exchange, ['a.txt']);
    expect((await requestV1(limited, 'POST', '/link/open', { body: { secret: right } })).status).toBe(201);
    await limited.close();
  });

  test('leaves no token, session or code in the log', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const logged = buildTestServer(exchange, {}, { log });
    const { token, link } = await strictLink();
    const session = (await requestV1(logged, 'POST', '/link/open', { body: { secret: token } })).json()
      .session as string;
    const code = await readCode(session, link);
    await requestV1(logged, 'POST', '/link/code', { key: session, body: { code } });
    await requestV1(logged, 'GET', '/link/drop', { key: session });
    await requestV1(logged, 'POST', '/link/open', { body: { secret: token.toUpperCase() } });
    await logged.close();
    const text = lines.join('');
    expect(text).toContain('/api/v1/link/open');
    for (const secret of [token, session, code]) expect(text).not.toContain(secret);
  });
});

describe('a link that requires a code', () => {
  test('shows where it was sent, and opens with it', async () => {
    const { token, link } = await strictLink();
    const { json } = await open(token);
    const { session: key, code } = json();
    expect(code).toMatchObject({ channel: 'mail', state: 'sent', tries_left: 5, to: 'r•••@example.org' });
    const right = await readCode(key, link);
    const wrong = await ask('POST', '/link/code', { key, body: { code: toOther(right) } });
    expect([wrong.status, wrong.json().code, wrong.json().detail]).toEqual([
      403,
      'wrong_code',
      'This is not the code. Read it in the newest message, and try again: 4 tries are left.',
    ]);
    const spaced = `${right.slice(0, 3)} ${right.slice(3)}`;
    expect((await ask('POST', '/link/code', { key, body: { code: spaced } })).status).toBe(204);
    expect((await ask('GET', '/link/drop', { key })).status).toBe(200);
    expect((await ask('POST', '/link/code', { key, body: { code: right } })).status).toBe(204);
  });

  test('allows five tries, and another code for the same session', async () => {
    const { token, link } = await strictLink();
    const key = await openSession(token);
    const right = await readCode(key, link);
    const codes: string[] = [];
    for (let time = 0; time < 6; time += 1) {
      codes.push((await ask('POST', '/link/code', { key, body: { code: toOther(right) } })).json().code);
    }
    expect(codes).toEqual(['wrong_code', 'wrong_code', 'wrong_code', 'wrong_code', 'code_expired', 'code_expired']);
    expect((await ask('POST', '/link/code', { key, body: { code: right } })).json().code).toBe('code_expired');
    const sent = await ask('POST', '/link/code/send', { key });
    expect([sent.status, sent.json()]).toMatchObject([200, { state: 'sent', tries_left: 5 }]);
    expect((await ask('POST', '/link/code', { key, body: { code: await readCode(key, link) } })).status).toBe(204);
  });

  test('sends five codes an hour, in browsers and to programs together', async () => {
    const { token, link } = await strictLink();
    await openLink(engines, link);
    await query("update drops set second_factor = 'mail' where id = $1", [link.dropId]);
    for (let time = 0; time < 5; time += 1) await open(token);
    const { session: key, code } = (await open(token)).json();
    expect(code).toMatchObject({ state: 'too_many_codes' });
    const { status, json } = await ask('POST', '/link/code/send', { key });
    expect([status, json().code]).toEqual([429, 'too_many_codes']);
  });

  test('takes a session that was passed in this program only', async () => {
    const { token, link } = await strictLink();
    const [one, two] = [await openSession(token), await openSession(token)];
    await ask('POST', '/link/code', { key: one, body: { code: await readCode(one, link) } });
    expect((await ask('GET', '/link/drop', { key: one })).status).toBe(200);
    expect((await ask('GET', '/link/drop', { key: two })).status).toBe(403);
  });
});

describe('a download', () => {
  test('has the bytes, the digest and the ranges of the page, and the same traces', async () => {
    const { token, link, dropId: id } = await sentLink(exchange, ['a.txt', 'b.txt']);
    const key = await openSession(token);
    const drop = (await ask('GET', '/link/drop', { key })).json();
    expect(drop).toMatchObject({
      sender: { email: link.sender },
      message: link.message,
      completed_at: null,
      files: [
        { name: 'a.txt', delivered: false },
        { name: 'b.txt', delivered: false },
      ],
    });
    const [first, second] = drop.files as { id: string; sha256: string }[];
    if (!first || !second) throw new Error('no files');
    // A real connection, because an injected request does not count what was sent.
    const server = buildTestServer(exchange);
    const origin = await server.listen({ port: 0, host: '127.0.0.1' });
    const fetched = async (path: string, headers: Record<string, string>) => {
      const response = await fetch(`${origin}${path}`, { headers });
      return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
    };
    const byProgram = (fileId: string, headers = {}) =>
      fetched(`/api/v1/link/files/${fileId}`, { authorization: `Bearer ${key}`, ...headers });
    const whole = await byProgram(first.id);
    expect(sha256(whole.bytes)).toBe(first.sha256);
    const digest = Buffer.from(first.sha256, 'hex').toString('base64');
    expect(whole.headers.get('repr-digest')).toBe(`sha-256=:${digest}:`);
    const start = await byProgram(second.id, { range: 'bytes=0-2' });
    expect((await ask('GET', '/link/drop', { key })).json().completed_at).toBeNull();
    const rest = await byProgram(second.id, { range: 'bytes=3-', 'if-range': String(start.headers.get('etag')) });
    expect([start.status, rest.status]).toEqual([206, 206]);
    expect(sha256(Buffer.concat([start.bytes, rest.bytes]))).toBe(second.sha256);
    const isCompleted = async () => (await ask('GET', '/link/drop', { key })).json().completed_at !== null;
    await expect.poll(isCompleted, { timeout: 10_000 }).toBe(true);

    // The same drop, fetched on the page, has the same story.
    const other = await sentLink(exchange, ['a.txt', 'b.txt']);
    const clicked = await postForm(app, `/d/${other.token}`, 'gesture=pressed');
    const cookie = String(clicked.headers['set-cookie']).split(';', 1)[0] as string;
    for (const file of await engines.store.links.files(other.link)) {
      await fetched(`${String(clicked.headers.location)}files/${file.id}/x`, { cookie });
    }
    const story = (told: string) => async () => {
      const evidence = await query('select kind, position from evidence_entries where drop_id = $1 order by kind', [
        told,
      ]);
      const events = await query("select type from events where data->>'drop_id' = $1 order by type", [told]);
      return { evidence, events };
    };
    const ofProgram = await story(id)();
    expect(ofProgram.evidence.length).toBeGreaterThan(3);
    await expect.poll(story(other.dropId), { timeout: 10_000 }).toEqual(ofProgram);
    await server.close();
  });

  test('is cut when the drop is revoked', async () => {
    const sender = await exchange.account('r@example.org');
    await exchange.upload(sender, 'large.bin', randomBytes(40_000_000));
    const { token, dropId: id, link } = await sentLink(exchange, ['a.txt'], ['r@example.org'], sender);
    const file = (await engines.store.links.files(link)).find(({ name }) => name === 'large.bin');
    const key = await openSession(token);
    const server = buildTestServer(exchange);
    const origin = await server.listen({ port: 0, host: '127.0.0.1' });
    const response = await fetch(`${origin}/api/v1/link/files/${file?.id}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const reader = response.body?.getReader();
    await reader?.read();
    await revokeDrop(engines, { ...sender, id: sender.accountId }, id, engines.administrator);
    const readAll = async () => {
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        if ((await reader?.read())?.done) return;
      }
    };
    await expect(readAll()).rejects.toThrow('terminated');
    await server.close();
  }, 30_000);

  test('is also one ZIP, and a message alone is delivered when it is read', async () => {
    const { token } = await sentLink(exchange, ['a.txt']);
    const key = await openSession(token);
    const zip = await ask('GET', '/link/all.zip', { key });
    expect([zip.status, zip.bytes.subarray(0, 2).toString()]).toEqual([200, 'PK']);
    expect((await ask('HEAD', '/link/all.zip', { key })).headers['content-length']).toBe(String(zip.bytes.length));
    const owner = await exchange.account();
    const body = { receivers: [{ email: 'r@example.org' }], message: 'Only this.', uploads: [], notify: false };
    const created = await requestV1(app, 'POST', '/drops', { key: owner.apiKey, body });
    const reader = await openSession(created.json().receivers[0].link.split('/').at(-1));
    await ask('GET', '/link/drop', { key: reader });
    expect((await ask('GET', '/link/drop', { key: reader })).json().completed_at).toEqual(expect.any(String));
  });

  test('does not reach the files of another link', async () => {
    const [mine, other] = [await sentLink(exchange, ['a.txt']), await sentLink(exchange, ['b.txt'])];
    const key = await openSession(mine.token);
    const [file] = await engines.store.links.files(other.link);
    expect((await ask('GET', `/link/files/${file?.id}`, { key })).status).toBe(404);
  });
});

describe('what a contact sends', () => {
  test('is uploaded in parts, resumed, checked, and one entry of the inbox', async () => {
    const { link, token } = await requestLink();
    const key = await openSession(token);
    expect((await ask('GET', '/link/request', { key })).json()).toMatchObject({ used: false, last_sent: null });
    expect((await ask('OPTIONS', '/link/uploads', { key })).headers['tus-version']).toBe('1.0.0');
    const content = 'the report';
    const { id, headers } = await begin(key, 'folder/a.txt', content.length);
    expect(headers['location']).toBe(`/api/v1/link/uploads/${id}`);
    expect((await ask('HEAD', `/link/uploads/${id}`, { key, headers: tus })).headers['upload-offset']).toBe('0');
    expect((await patch(key, id, 0, Buffer.from(content))).status).toBe(204);
    expect((await ask('POST', '/link/send', { key, body: {} })).json().code).toBe('files_not_ready');
    await upload(key, link, 'b.txt', 'more');
    await checkUpload(engines, link.accountId, id, new AbortController().signal);
    expect((await ask('GET', '/link/uploads', { key })).json().data).toMatchObject([
      { id, path: 'folder/a.txt', state: 'ready', size: content.length, sha256: sha256(content) },
      { path: 'b.txt', state: 'ready' },
    ]);
    const sent = await ask('POST', '/link/send', { key, body: { message: 'Here.' } });
    expect(sent.json().files).toMatchObject([
      { path: 'folder/a.txt', size: content.length, sha256: sha256(content) },
      { path: 'b.txt' },
    ]);
    // A repetition, whose response was lost, returns the same and sends nothing.
    const again = await ask('POST', '/link/send', { key, body: { message: 'Here.' } });
    expect(again.json()).toEqual(sent.json());
    const entries = await query<{ message: string }>(
      "select message from drops where account_id = $1 and type = 'receivedfiles'",
      [link.accountId],
    );
    expect(entries).toEqual([{ message: 'Here.' }]);
    expect((await ask('GET', '/link/request', { key })).json().last_sent).toEqual(sent.json());
  });

  test('can be removed before it is sent', async () => {
    const { link, token } = await requestLink();
    const key = await openSession(token);
    const id = await upload(key, link, 'a.txt', 'x');
    expect((await ask('GET', `/link/uploads/${id}`, { key })).json().state).toBe('ready');
    expect((await ask('DELETE', `/link/uploads/${id}`, { key })).status).toBe(204);
    expect((await ask('GET', `/link/uploads/${id}`, { key })).status).toBe(404);
    expect((await ask('POST', '/link/send', { key, body: {} })).json().code).toBe('no_files');
  });

  test('does not go through a link for one sending a second time', async () => {
    const { link, token } = await requestLink();
    await query('update drops set reusable = false where id = $1', [link.dropId]);
    const key = await openSession(token);
    await upload(key, link, 'a.txt', 'x');
    expect((await ask('POST', '/link/send', { key, body: {} })).status).toBe(200);
    expect((await ask('GET', '/link/request', { key })).json()).toMatchObject({ used: true });
    const { status, json } = await begin(key, 'b.txt', 1);
    expect([status, json().code]).toEqual([410, 'link_ended']);
  });

  test('of one link is not visible through another of the same request', async () => {
    const { actor, link } = await openRequestLink(exchange, ['c@example.org', 'd@example.org']);
    const tokens = await Promise.all([0, 1].map((position) => deriveToken(exchange, actor, link.dropId, position)));
    const [mine, other] = (await Promise.all(tokens.map(openSession))) as [string, string];
    const { id } = await begin(mine, 'a.txt', 5);
    expect((await ask('GET', '/link/uploads', { key: other })).json().data).toEqual([]);
    for (const method of ['GET', 'DELETE'] as const) {
      expect((await ask(method, `/link/uploads/${id}`, { key: other })).status).toBe(404);
    }
    expect((await patch(other, id, 0, Buffer.alloc(5))).status).toBe(404);
  });
});

const revocations: Record<string, (actor: Actor, link: Link) => Promise<unknown>> = {
  'its request is revoked': (actor, { dropId }) =>
    revokeDrop(engines, { ...actor, id: actor.accountId }, dropId, engines.administrator),
  'the account that asked for it is disabled': ({ accountId }) => disable(accountId),
};

test.each(Object.entries(revocations))(
  'an upload is cut when %s',
  async (_when, revoke) => {
    const { actor, link, token } = await requestLink();
    const key = await openSession(token);
    const { id } = await begin(key, 'large.bin', 50_000_000);
    const server = buildTestServer(exchange);
    const origin = await server.listen({ port: 0, host: '127.0.0.1' });
    const begun = Promise.withResolvers<void>();
    const stop = new AbortController();
    const pieces = new ReadableStream<Uint8Array>({
      async pull(controller) {
        controller.enqueue(randomBytes(65_536));
        begun.resolve();
        await new Promise((resolve) => setTimeout(resolve, 50));
      },
    });
    const sending: RequestInit & { duplex: 'half' } = {
      method: 'PATCH',
      body: pieces,
      signal: stop.signal,
      duplex: 'half',
      headers: { authorization: `Bearer ${key}`, ...tus, 'upload-offset': '0', 'content-type': tusType },
    };
    const response = fetch(`${origin}/api/v1/link/uploads/${id}`, sending);
    await begun.promise;
    await revoke(actor, link);
    const { status } = await response;
    expect(status).toBe(410);
    // A request that came after the revocation was refused, and its body would go on.
    stop.abort();
    await server.close();
  },
  30_000,
);

test('a session that was closed is over, and the link opens again', async () => {
  const { token } = await sentLink(exchange, ['a.txt']);
  const key = await openSession(token);
  expect((await ask('POST', '/link/close', { key })).status).toBe(204);
  expect((await ask('GET', '/link/drop', { key })).status).toBe(401);
  expect((await open(token)).status).toBe(201);
});

test('a contact of a disabled account is told that the link was revoked', async () => {
  const { actor, token } = await requestLink();
  const key = await openSession(token);
  await disable(actor.accountId);
  expect((await ask('GET', '/link/request', { key })).json().code).toBe('link_revoked');
});

test('revoking ends a session at once', async () => {
  const { token, sender, dropId: id } = await sentLink(exchange, ['a.txt']);
  const key = await openSession(token);
  await revokeDrop(engines, { ...sender, id: sender.accountId }, id, engines.administrator);
  expect((await ask('GET', '/link/drop', { key })).status).toBe(410);
});
