import { randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { readyUpload } from '../../../test/account-uploads.ts';
import { MemoryLimits } from '../../../test/memory/memory-limits.ts';
import { type AskV1, requestV1 } from '../../../test/request-v1.ts';
import { buildTestServer, postForm, testHost } from '../../../test/server.ts';
import { useTestServer } from '../../../test/use-test-server.ts';
import type { Actor } from '../../domain/actor.ts';
import { findLink, findSession } from '../../domain/links/find-link.ts';
import { openLink } from '../../domain/links/open-link.ts';
import { sendMessage } from '../../domain/outbox/send-message.ts';
import { enterPassphrase } from '../../domain/passphrases/passphrase.ts';
import type { Mail } from '../../domain/ports/mailer.ts';

const { exchange, app } = await useTestServer();
const { engines } = exchange;
const { query } = exchange.database;
const passphrase = 'Copper-Lantern drift 42';

type Sender = Actor & { apiKey: string };
const ask = (sender: Sender, method: 'GET' | 'POST', path: string, more: AskV1 = {}) =>
  requestV1(app, method, path, { key: sender.apiKey, ...more });

/** Sends a drop that has the passphrase, by its links. */
async function sendDrop(more: object = {}, receivers = ['anna@example.org']) {
  const sender = await exchange.account();
  const body = {
    uploads: [await readyUpload(exchange, sender, 'report.txt', 'the report')],
    receivers: receivers.map((email) => ({ email })),
    notify: false,
    passphrase,
    ...more,
  };
  const { status, json, text } = await ask(sender, 'POST', '/drops', { body });
  expect(status, text).toBe(201);
  const drop = json();
  const links: string[] = drop.receivers.map(({ link }: { link: string }) => new URL(link).pathname);
  return { sender, drop, id: drop.id as string, path: links[0] as string, links };
}

/** A browser without scripts in which a person opened the link. */
async function openBrowser(path: string, server = app) {
  const opened = await postForm(server, path, 'gesture=pressed');
  expect(opened.statusCode).toBe(303);
  const home = String(opened.headers.location);
  const cookie = String(opened.headers['set-cookie']).split(';')[0] as string;
  const headers = { cookie, 'sec-fetch-site': 'same-origin' };
  return {
    setCookie: String(opened.headers['set-cookie']),
    get: (url = '') => server.inject({ url: `${home}${url}`, headers: { host: testHost, cookie } }),
    enter: (typed: string, address?: string) =>
      server.inject({
        method: 'POST',
        url: `${home}passphrase`,
        payload: new URLSearchParams({ passphrase: typed }).toString(),
        headers: { host: testHost, 'content-type': 'application/x-www-form-urlencoded', ...headers },
        ...(address === undefined ? {} : { remoteAddress: address }),
      }),
  };
}

describe('a delivery with a passphrase', () => {
  test('shows nothing before it was entered, and everything after it', async () => {
    const { path, id, sender } = await sendDrop({ message: 'The secret message.' });
    const landing = await app.inject({ url: path, headers: { host: testHost } });
    expect(landing.body).toContain('You will be asked for a passphrase');

    const browser = await openBrowser(path);
    // A shared computer must not remain signed in.
    expect(browser.setCookie).not.toContain('Expires');
    const first = await browser.get();
    expect(first.body).toContain('Enter the passphrase');
    for (const secret of ['report.txt', 'The secret message.', 'WB-', 'anna@'])
      expect(first.body).not.toContain(secret);
    for (const url of ['all.zip', 'SHA256SUMS', 'delivered', 'receipt.json', `files/${randomUUID()}/report.txt`])
      expect((await browser.get(url)).statusCode, url).toBe(403);

    const wrong = await browser.enter('copper lantern drift 43');
    expect(wrong.statusCode).toBe(403);
    expect(wrong.body).toContain('That is not the passphrase.');
    expect(wrong.body).not.toContain('drift 43');

    // As somebody types what they were told on the telephone.
    expect((await browser.enter('  COPPER lantern drift\u201142 ')).statusCode).toBe(303);
    const page = await browser.get();
    expect(page.body).toContain('report.txt');
    expect((await browser.get('all.zip')).statusCode).toBe(200);
    // Another browser has to enter it, too.
    expect((await (await openBrowser(path)).get()).body).toContain('Enter the passphrase');

    const details = await ask(sender, 'GET', `/drops/${id}`);
    expect(details.json()).toMatchObject({ has_passphrase: true, second_factor: 'off' });
    expect(details.text).not.toMatch(/argon2|copper/i);
    const entries = await query<{ action: string }>(
      "select action from audit_entries where details->>'dropId' = $1 and action like 'link.pass%' order by sequence",
      [id],
    );
    expect(entries.map(({ action }) => action)).toEqual(['link.passphrase_failed', 'link.passphrase_entered']);
  });

  test('asks for the passphrase before it sends the code that is required, too', async () => {
    const { path, id } = await sendDrop({ second_factor: 'mail' });
    const browser = await openBrowser(path);
    const codes = () => query("select from messages where drop_id = $1 and kind = 'code'", [id]);
    expect(await codes()).toHaveLength(0);
    expect((await browser.enter(passphrase)).statusCode).toBe(303);
    expect(await codes()).toHaveLength(1);
    expect((await browser.get()).body).toContain('Enter the six-digit code');
    expect((await browser.get('all.zip')).statusCode).toBe(403);
  });

  test('is in no mail, not readable in the database, and the same for every receiver', async () => {
    const { id, links } = await sendDrop({ notify: false }, ['anna@example.org', 'bo@example.org']);
    for (const path of links) expect((await (await openBrowser(path)).enter(passphrase)).statusCode).toBe(303);
    const [row] = await query<{ passphrase: string }>('select passphrase from drops where id = $1', [id]);
    expect(row?.passphrase).toMatch(/^\$argon2id\$/);

    const mailed = await exchange.account();
    const upload = await readyUpload(exchange, mailed, 'report.txt', 'x');
    const body = { uploads: [upload], receivers: [{ email: 'anna@example.org' }], passphrase };
    const sent = (await ask(mailed, 'POST', '/drops', { body })).json();
    const [message] = await query<{ id: string }>('select id from messages where drop_id = $1', [sent.id]);
    const mails: Mail[] = [];
    const mailer = {
      send: async (mail: Mail) => {
        mails.push(mail);
        return { outcome: 'sent', response: '250' } as const;
      },
    };
    await sendMessage({ ...engines, mailer }, mailed.accountId, message?.id as string);
    expect(mails).toHaveLength(1);
    expect(JSON.stringify(mails)).not.toMatch(/lantern/i);
  });

  test('is an argument of requests for files, too', async () => {
    const sender = await exchange.account();
    const body = { receivers: [{ email: 'anna@example.org' }], notify: false, passphrase };
    const { json, status, text } = await ask(sender, 'POST', '/requests', { body });
    expect(status, text).toBe(201);
    const browser = await openBrowser(new URL(json().receivers[0].link).pathname);
    expect((await browser.get()).body).toContain('It opens the page on which you send files');
    expect((await browser.get('more')).statusCode).toBe(403);
    expect((await browser.enter('a wrong passphrase')).statusCode).toBe(403);
    expect((await browser.enter(passphrase)).statusCode).toBe(303);
    expect((await browser.get('more')).statusCode).toBe(200);
  });

  test.each(['short one 1', '-- -- -- -- -- --', 'password12345', 'x'.repeat(201)])(
    'cannot have the passphrase %s',
    async (weak) => {
      const sender = await exchange.account();
      const body = {
        uploads: [await readyUpload(exchange, sender, 'a.txt', 'x')],
        receivers: [{ email: 'anna@example.org' }],
        passphrase: weak,
      };
      for (const path of ['/drops', '/drops/check']) {
        const { status, json } = await ask(sender, 'POST', path, { body });
        expect(status).toBe(400);
        expect(json().errors).toMatchObject([
          { pointer: '/passphrase', detail: expect.stringContaining('12 to 200 characters') },
        ]);
      }
    },
  );

  test('opens for a program', async () => {
    const { path } = await sendDrop({ second_factor: 'mail' });
    const post = (url: string, key: string | undefined, body?: object) =>
      requestV1(app, 'POST', url, { key, ...(body && { body }) });
    const opened = (await post('/link/open', undefined, { secret: path.split('/').at(-1) })).json();
    expect(opened).toMatchObject({ passphrase_required: true, code: null });
    const key = opened.session as string;
    for (const [url, body] of [
      ['/link/code/send', undefined],
      ['/link/code', { code: '123456' }],
    ] as const) {
      const { status, json } = await post(url, key, body);
      expect([status, json().code]).toEqual([403, 'passphrase_required']);
    }
    const get = (url: string) => requestV1(app, 'GET', url, { key });
    expect((await get('/link/drop')).json().code).toBe('passphrase_required');
    expect((await post('/link/passphrase', key, { passphrase: 'wrong' })).json().code).toBe('wrong_passphrase');
    const entered = (await post('/link/passphrase', key, { passphrase })).json();
    expect(entered).toMatchObject({ passphrase_required: false, code: { channel: 'mail', state: 'sent' } });
    expect((await get('/link/drop')).json().code).toBe('code_required');
  });
});

describe('tries', () => {
  const limited = () => buildTestServer(exchange, { attemptLimit: new MemoryLimits().attemptLimit() });

  test('of one link from one network are six, then the right one has to wait, too', async () => {
    await using server = limited();
    const { path, links } = await sendDrop({}, ['anna@example.org', 'bo@example.org']);
    const browser = await openBrowser(path, server);
    for (let attempt = 0; attempt < 6; attempt += 1) expect((await browser.enter('wrong')).statusCode).toBe(403);
    // A new session is no way around.
    const again = await openBrowser(path, server);
    const refused = await again.enter(passphrase);
    expect(refused.statusCode).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.body).toContain('That was wrong too many times. Try again in 1 minute.');
    // Nobody else has to wait: not the receiver in another network, nor another receiver.
    expect((await again.enter(passphrase, '203.0.113.7')).statusCode).toBe(303);
    expect((await (await openBrowser(links[1] as string, server)).enter(passphrase)).statusCode).toBe(303);
  });

  test('at once are not more, and only those are hashed', async () => {
    const attemptLimit = new MemoryLimits().attemptLimit();
    const { path, id } = await sendDrop();
    const verify = vi.spyOn(engines.passphrases, 'verify');
    const link = await findLink(engines, path.split('/').at(-1) as string);
    const session = await findSession(engines, await openLink(engines, link), 'downloadfiles');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) =>
        enterPassphrase({ ...engines, attemptLimit }, session, `wrong ${index}`, '192.0.2.1'),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(6);
    expect(verify).toHaveBeenCalledTimes(6);
    verify.mockRestore();
    const failed = await query(
      "select from audit_entries where details->>'dropId' = $1 and action = 'link.passphrase_failed'",
      [id],
    );
    expect(failed).toHaveLength(6);
  });

  test('from many networks are 20 for a link, then one after the other', async () => {
    await using server = limited();
    const { path } = await sendDrop();
    const browser = await openBrowser(path, server);
    const statuses = new Map<number, number>();
    for (let network = 0; network < 30; network += 1) {
      const { statusCode } = await browser.enter('wrong', `198.51.${network}.1`);
      statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
    }
    expect(statuses.get(403)).toBeLessThanOrEqual(21);
    expect(statuses.get(429)).toBeGreaterThanOrEqual(9);
  });
});
