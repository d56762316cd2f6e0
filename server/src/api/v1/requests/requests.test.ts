import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { listDraftFiles, openRequestLink, readyFile } from '../../../../test/file-requests.ts';
import { deriveToken } from '../../../../test/links.ts';
import { type AskV1, requestV1 } from '../../../../test/request-v1.ts';
import { postForm, testHost } from '../../../../test/server.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import type { Actor } from '../../../domain/actor.ts';
import { findLink } from '../../../domain/links/find-link.ts';
import type { Link } from '../../../domain/links/link-store.ts';
import { openLink } from '../../../domain/links/open-link.ts';
import { sendMessage } from '../../../domain/outbox/send-message.ts';
import type { Mail } from '../../../domain/ports/mailer.ts';
import { sendFiles } from '../../../domain/requests/send-files.ts';

const { exchange, app } = await useTestServer();
const { engines } = exchange;
const { query } = exchange.database;

type Owner = Actor & { apiKey: string };
const ask = (owner: Owner, method: 'GET' | 'POST', path: string, more: AskV1 = {}) =>
  requestV1(app, method, path, { key: owner.apiKey, ...more });
const contacts = (...names: string[]) => ({ receivers: names.map((name) => ({ email: `${name}@example.org` })) });

/** Creates a request to one contact, and returns the response. */
async function request(owner: Owner, body: object = {}) {
  const response = await ask(owner, 'POST', '/requests', { body: { ...contacts('anna'), ...body } });
  expect(response.status, response.text).toBe(201);
  return { ...response, request: response.json(), etag: String(response.headers['etag']) };
}
const read = async (owner: Owner, id: string) => (await ask(owner, 'GET', `/requests/${id}`)).json();
const readLink = async (owner: Owner, id: string, position = 0): Promise<Link> =>
  findLink(engines, await deriveToken(exchange, owner, id, position), 'uploadfiles');

/** Sends a file as the contact. */
async function contribute(link: Link, name: string): Promise<void> {
  await readyFile(engines, link, name);
  await sendFiles(engines, link, name);
}
const readMessages = (id: string) =>
  query<{ id: string; kind: string; receiver: string }>(
    'select id, kind, receiver from messages where drop_id = $1 order by kind, receiver',
    [id],
  );
/** Lists the events of a request, in order. */
const readEventsFor = async (owner: Owner) => {
  const order = 'order by epoch, transaction_id, sequence';
  const rows = await query<{ type: string }>(`select type from events where account_id = $1 ${order}`, [
    owner.accountId,
  ]);
  return rows.map(({ type }) => type);
};

describe('POST /requests', () => {
  test('gives each contact a link, by mail', async () => {
    const owner = await exchange.account();
    const { request: made, headers } = await request(owner, {
      receivers: [{ email: 'Anna@Example.org', name: 'Anna', language: 'sv', phone: '46701234567' }],
      message: 'The invoices, please.',
      expires_in: 3 * 86_400,
      external_id: 'order-4711',
      metadata: { project: 'bridge' },
    });
    expect(made).toMatchObject({
      state: 'live',
      message: 'The invoices, please.',
      external_id: 'order-4711',
      metadata: { project: 'bridge' },
      notify: true,
      reusable: false,
      receiver_count: 1,
      receivers: [{ id: 0, email: 'anna@example.org' }],
    });
    expect(JSON.stringify(made)).not.toContain('/u/');
    expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(3 * 86_400_000);
    expect(headers['location']).toBe(`https://${testHost}/api/v1/requests/${made.id}`);
    expect((await read(owner, made.id)).receivers).toMatchObject([
      { name: 'Anna', phone: '46701234567', language: 'sv', state: 'waiting', sendings: 0, files_received: 0 },
    ]);
    expect(await readMessages(made.id)).toMatchObject([{ kind: 'invitation', receiver: 'anna@example.org' }]);
    expect(await readEventsFor(owner)).toEqual(['request.created']);
  });

  test('returns the links instead of sending mails if `notify` is false', async () => {
    const owner = await exchange.account();
    const { request: made } = await request(owner, { notify: false });
    expect(made.receivers[0].link).toBe(`https://${testHost}/u/${await deriveToken(exchange, owner, made.id, 0)}`);
    expect(await readMessages(made.id)).toEqual([]);
  });

  test('lists every error, and changes nothing', async () => {
    const owner = await exchange.account();
    await engines.store.quotas.setForAccount(owner.accountId, {
      receiverDomains: ['example.org'],
      secondFactor: 'mail',
      mailsPerDay: 1,
    });
    const body = {
      receivers: [{ email: 'nobody' }, { email: 'eve@example.com' }, { email: 'bo@example.org', phone: '+46 70' }],
      expires_in: 60,
      second_factor: 'off',
    };
    const response = await ask(owner, 'POST', '/requests', { body });
    expect([response.status, response.json().code]).toEqual([400, 'invalid_input']);
    const faults = response
      .json()
      .errors.map((fault: { pointer: string; code: string }) => [fault.pointer, fault.code]);
    expect(faults).toEqual([
      ['/expires_in', 'invalid'],
      ['/second_factor', 'invalid'],
      ['/receivers/0/email', 'invalid'],
      ['/receivers/1/email', 'recipient_not_allowed'],
      ['/receivers/2/phone', 'invalid'],
      ['', 'daily_limit'],
    ]);
    const dry = await ask(owner, 'POST', '/requests/check', { body });
    expect(dry.json().errors).toEqual(response.json().errors);
    const texts = await ask(owner, 'POST', '/requests', { body: { ...contacts('a'), message: 'a\0b' } });
    expect([texts.status, texts.json().errors]).toMatchObject([400, [{ pointer: '/message', code: 'invalid' }]]);
    const unknown = await ask(owner, 'POST', '/requests', { body: { ...contacts('a'), uploads: [randomUUID()] } });
    expect(unknown.status).toBe(400);
    expect(await query('select from drops where account_id = $1', [owner.accountId])).toEqual([]);
  });

  test('creates nothing in a dry run, and one request however often it is repeated', async () => {
    const owner = await exchange.account();
    const body = { ...contacts('a', 'b'), notify: false };
    const headers = { 'idempotency-key': 'once' };
    const dry = await ask(owner, 'POST', '/requests/check', { body, headers });
    expect([dry.status, dry.json()]).toEqual([200, { receiver_count: 2, expires_in: 7 * 86_400 }]);
    const [first, second] = [
      await ask(owner, 'POST', '/requests', { body, headers }),
      await ask(owner, 'POST', '/requests', { body, headers }),
    ];
    expect([first.status, second.text]).toEqual([201, first.text]);
    expect((await ask(owner, 'GET', '/requests')).json().data).toHaveLength(1);
  });
});

describe('GET /requests', () => {
  test('finds requests, also those of the machine API, and no drops', async () => {
    const owner = await exchange.account('old@example.org');
    const { link: old } = await openRequestLink(exchange, ['old@example.org'], owner);
    await exchange.drop(owner, ['old@example.org'], ['x.txt']);
    const first = (await request(owner, { external_id: 'A' })).request;
    const second = (await request(owner, contacts('bo'))).request;
    const ids = async (filter: string) =>
      (await ask(owner, 'GET', `/requests?${filter}`)).json().data.map(({ id }: { id: string }) => id);
    expect(await ids('')).toEqual([second.id, first.id, old.dropId]);
    expect(await ids('receiver_email=old@example.org')).toEqual([old.dropId]);
    expect(await ids('external_id=A')).toEqual([first.id]);
    expect(await ids(`search=${second.reference}`)).toEqual([second.id]);
    expect(await ids(`created_before=${first.created_at}`)).toEqual([old.dropId]);
    await ask(owner, 'POST', `/requests/${first.id}/revoke`, { body: {} });
    expect(await ids('state=revoked')).toEqual([first.id]);
    expect(await read(owner, old.dropId)).toMatchObject({ reusable: true });

    const { data, next_cursor: cursor } = (await ask(owner, 'GET', '/requests?limit=2')).json();
    expect(data).toHaveLength(2);
    expect(await ids(`cursor=${cursor}`)).toEqual([old.dropId]);
    expect((await ask(owner, 'GET', `/drops?cursor=${cursor}`)).status).toBe(400);
  });

  test('shows what each contact did', async () => {
    const owner = await exchange.account();
    const names = ['fulfilled', 'opened', 'undeliverable', 'notified', 'waiting', 'revoked'];
    const { request: made } = await request(owner, { ...contacts(...names), reusable: true });
    const links = await Promise.all(names.map((_, position) => readLink(owner, made.id, position)));
    await contribute(links[0] as Link, 'a.txt');
    await contribute(links[0] as Link, 'b.txt');
    await openLink(engines, links[1] as Link);
    await engines.store.links.markUndeliverable(links[2] as Link, 'no such mailbox');
    const [, invited] = await readMessages(made.id);
    const mailer = { send: async () => ({ outcome: 'sent' as const, response: 'ok' }) };
    await sendMessage({ ...engines, mailer }, owner.accountId, invited?.id as string);
    await ask(owner, 'POST', `/requests/${made.id}/receivers/5/revoke`);
    const { receivers } = await read(owner, made.id);
    expect(receivers.map(({ state }: { state: string }) => state)).toEqual(names);
    const [entry] = (await ask(owner, 'GET', '/inbox')).json().data;
    expect(receivers[0]).toMatchObject({ sendings: 2, files_received: 2, last_received_at: entry.received_at });
    expect(Date.parse(receivers[0].fulfilled_at)).toBeLessThan(Date.parse(receivers[0].last_received_at));
  });

  test('finds requests only for their account, and not as drops', async () => {
    const [owner, other] = [await exchange.account('r@example.org'), await exchange.account()];
    const { request: made } = await request(owner);
    const drop = await exchange.drop(owner, ['r@example.org'], ['x.txt']);
    for (const [account, path] of [
      [other, `/requests/${made.id}`],
      [owner, `/drops/${made.id}`],
      [owner, `/requests/${drop}`],
    ] as const) {
      for (const [method, change, body] of [
        ['GET', '', undefined],
        ['POST', '/revoke', {}],
        ['POST', '/extend', { expires_in: 864_000 }],
        ['POST', '/remind', undefined],
        ['POST', '/receivers', { email: 'x@example.org' }],
        ['POST', '/receivers/0/resend', undefined],
      ] as const) {
        const refused = await ask(account, method, `${path}${change}`, body ? { body } : {});
        expect([path, change, refused.status]).toEqual([path, change, 404]);
      }
    }
    expect(await read(owner, made.id)).toMatchObject({ state: 'live', receiver_count: 1 });
  });
});

describe('a change of a request', () => {
  test('revokes it or one link, extends it and adds a contact', async () => {
    const owner = await exchange.account();
    const { request: made, etag } = await request(owner, { ...contacts('a', 'b'), notify: false });
    const change = (path: string, body?: object, headers = {}) =>
      ask(owner, 'POST', `/requests/${made.id}/${path}`, { ...(body && { body }), headers });
    const extended = await change('extend', { expires_in: 20 * 86_400 }, { 'if-match': etag });
    expect(Date.parse(extended.json().expires_at)).toBeGreaterThan(Date.now() + 19.9 * 86_400_000);
    expect((await change('revoke', {}, { 'if-match': etag })).status).toBe(412);
    const added = await change('receivers', { email: 'c@example.org' });
    expect(added.json()).toEqual({ id: 2, email: 'c@example.org', link: expect.stringContaining('/u/') });
    const opens = async (position: number) => {
      const { link } = [...made.receivers, added.json()][position];
      return (await postForm(app, new URL(link).pathname, 'gesture=pressed')).statusCode;
    };
    expect((await change('receivers/1/revoke')).json()).toMatchObject({ state: 'live', receiver_count: 3 });
    expect([await opens(0), await opens(1), await opens(2)]).toEqual([303, 410, 303]);
    expect((await change('revoke')).json()).toMatchObject({ state: 'revoked' });
    expect(await opens(0)).toBe(410);
    expect((await change('extend', { expires_in: 25 * 86_400 })).status).toBe(410);
    expect(await readEventsFor(owner)).toEqual([
      'request.created',
      'request.extended',
      'request.receiver_added',
      'request.receiver_revoked',
      'request.opened',
      'request.opened',
      'request.revoked',
    ]);
  });

  test('reminds contacts who have sent nothing, and sends one of them the first mail again', async () => {
    const owner = await exchange.account();
    const { request: made } = await request(owner, { ...contacts('a', 'b'), message: 'The invoices.', reusable: true });
    await contribute(await readLink(owner, made.id, 0), 'a.txt');
    expect((await ask(owner, 'POST', `/requests/${made.id}/remind`)).json()).toEqual({ reminded: 1 });
    expect((await ask(owner, 'POST', `/requests/${made.id}/receivers/1/resend`)).status).toBe(204);
    const messages = await readMessages(made.id);
    expect(messages.map(({ kind, receiver }) => `${kind} ${receiver}`)).toEqual([
      'invitation a@example.org',
      'invitation b@example.org',
      'invitation b@example.org',
      'reminder b@example.org',
    ]);
    const mails: Mail[] = [];
    const mailer = { send: async (mail: Mail) => ({ outcome: 'sent' as const, response: `${mails.push(mail)}` }) };
    await sendMessage({ ...engines, mailer }, owner.accountId, messages.at(-1)?.id as string);
    expect(mails).toMatchObject([
      { to: 'b@example.org', subject: `Reminder: ${owner.email} is waiting for your files` },
    ]);
    for (const part of ['The invoices.', `/u/${await deriveToken(exchange, owner, made.id, 1)}`]) {
      expect(mails[0]?.text).toContain(part);
    }
  });
});

describe('a contact', () => {
  /** Opens the link in a browser. */
  async function openBrowser(link: string) {
    const opened = await postForm(app, new URL(link).pathname, 'gesture=pressed');
    const page = String(opened.headers.location);
    const headers = { host: testHost, cookie: String(opened.headers['set-cookie']).split(';', 1)[0] as string };
    const send = (message: string) =>
      app
        .inject({ method: 'POST', url: `${page}send`, headers, payload: { message } })
        .then((response) => response.statusCode);
    return { page, headers, send, get: (path = '') => app.inject({ url: `${page}${path}`, headers }) };
  }

  test('sends files once, and then sees what was sent', async () => {
    const owner = await exchange.account();
    const { request: made } = await request(owner, { notify: false });
    const link = await readLink(owner, made.id);
    const { get, send, page, headers } = await openBrowser(made.receivers[0].link);
    expect((await get()).body).toContain('You can send only once');
    await readyFile(engines, link, 'a.txt');
    expect([await send('all'), await send('all')]).toEqual([200, 200]);
    const sent = (await get()).body;
    expect(sent).toContain('a.txt');
    expect(sent).not.toContain('Send more files');
    expect((await get('more')).headers.location).toBe(page);

    // Another browser may still show the form.
    const metadata = { 'tus-resumable': '1.0.0', 'upload-length': '5', 'upload-metadata': 'filename Yg==' };
    const announced = await app.inject({ method: 'POST', url: `${page}tus`, headers: { ...headers, ...metadata } });
    expect(announced.statusCode).toBe(410);
    const form = { ...headers, 'content-type': 'multipart/form-data; boundary=x' };
    expect((await app.inject({ method: 'POST', url: page, headers: form, payload: '--x--\r\n' })).statusCode).toBe(410);
    expect(await listDraftFiles(engines, link)).toEqual([]);
    expect((await ask(owner, 'GET', '/inbox')).json().data).toHaveLength(1);
  });

  test('can send only once from two browsers', async () => {
    const owner = await exchange.account();
    const { request: made } = await request(owner);
    const link = await readLink(owner, made.id);
    await contribute(link, 'a.txt');
    await query('update links set completed_at = null where drop_id = $1', [made.id]);
    await readyFile(engines, link, 'b.txt');
    await query('update links set completed_at = now() where drop_id = $1', [made.id]);
    await expect(sendFiles(engines, link, 'b')).rejects.toMatchObject({ code: 'link_ended' });
    expect((await ask(owner, 'GET', '/inbox')).json().data).toHaveLength(1);
  });

  test('may send again until the request expires, if it is reusable', async () => {
    const owner = await exchange.account();
    const { request: made } = await request(owner, { notify: false, reusable: true });
    const link = await readLink(owner, made.id);
    const { get, send } = await openBrowser(made.receivers[0].link);
    expect((await get()).body).not.toContain('<p class="lead">You can send only once');
    for (const name of ['a.txt', 'b.txt']) {
      await readyFile(engines, link, name);
      expect(await send(name)).toBe(200);
      const { body } = await get();
      for (const said of [name, 'Send more files', 'Open until']) expect(body).toContain(said);
    }
    expect((await get('more')).statusCode).toBe(200);
    expect((await ask(owner, 'GET', '/inbox')).json().data).toHaveLength(2);
  });

  test('sees what is wanted, and says which file is which; the inbox tells what is missing', async () => {
    const owner = await exchange.account();
    const { request: made } = await request(owner, {
      title: 'Handover of house 12',
      wanted_files: [{ name: 'Floor plans' }, { name: 'Signed contract', note: 'Both pages' }],
      notify: false,
      reusable: true,
    });
    expect(made).toMatchObject({
      title: 'Handover of house 12',
      wanted_files: [
        { name: 'Floor plans', note: '' },
        { name: 'Signed contract', note: 'Both pages' },
      ],
    });
    const link = await readLink(owner, made.id);
    await readyFile(engines, link, 'contract.pdf');
    const [file] = await listDraftFiles(engines, link);
    await expect(sendFiles(engines, link, '', undefined, new Map([[file?.id ?? '', 2]]))).rejects.toMatchObject({
      code: 'invalid_input',
    });
    await sendFiles(engines, link, '', undefined, new Map([[file?.id ?? '', 1]]));
    const { get } = await openBrowser(made.receivers[0].link);
    const { body } = await get('more');
    for (const said of ['Handover of house 12', '2 files are wanted', 'Both pages', 'You have sent it']) {
      expect(body).toContain(said);
    }
    // The missing one comes first.
    expect(body.indexOf('name="wanted:0"')).toBeLessThan(body.indexOf('name="wanted:1"'));
    await readyFile(engines, link, 'other.txt');
    await sendFiles(engines, link, 'And another file');
    const { data } = (await ask(owner, 'GET', '/inbox')).json();
    const entries = await Promise.all(
      data.map(async ({ id }: { id: string }) => (await ask(owner, 'GET', `/inbox/${id}`)).json()),
    );
    const wanted = [
      { name: 'Floor plans', note: '', found: false },
      { name: 'Signed contract', note: 'Both pages', found: true },
    ];
    expect(entries).toMatchObject([
      { wanted_files: wanted, files: [{ name: 'other.txt', wanted_file: null }] },
      { wanted_files: wanted, files: [{ name: 'contract.pdf', wanted_file: 1 }] },
    ]);
  });

  test.each([
    ['a title of nothing visible', { title: '\u200b' }],
    ['a title that is too long', { title: 'x'.repeat(201) }],
    ['too many wanted files', { wanted_files: Array.from({ length: 51 }, () => ({ name: 'x' })) }],
    ['a wanted file without a name', { wanted_files: [{ name: ' ' }] }],
  ])('are not asked with %s', async (_what, more) => {
    const owner = await exchange.account();
    const body = { receivers: [{ email: 'a@example.org' }], ...more };
    const refused = await ask(owner, 'POST', '/requests', { body });
    expect([refused.status, refused.json()]).toMatchObject([400, { code: 'invalid_input' }]);
  });

  test('who fulfils a request as the last causes one event, after all others', async () => {
    const names = ['a', 'b', 'c', 'd'];
    for (let round = 0; round < 3; round += 1) {
      const owner = await exchange.account();
      const { request: made } = await request(owner, { ...contacts(...names), notify: false, reusable: true });
      const links = await Promise.all(names.map((_, position) => readLink(owner, made.id, position)));
      for (const link of links) await readyFile(engines, link, 'a.txt');
      await Promise.all(links.map((link) => sendFiles(engines, link, '')));
      const received = names.flatMap(() => ['request.received', 'inbox.received']);
      expect(await readEventsFor(owner)).toEqual(['request.created', ...received, 'request.fulfilled']);
      await contribute(links[0] as Link, 'more.txt');
      expect((await readEventsFor(owner)).at(-1)).toBe('inbox.received');
    }
  });
});
