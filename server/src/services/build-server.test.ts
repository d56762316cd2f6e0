import { randomBytes, randomUUID } from 'node:crypto';
import { type AddressInfo, connect } from 'node:net';
import type { RouteOptions } from 'fastify';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { collectGroups } from '../../test/collect-groups.ts';
import { useTestExchange } from '../../test/exchange.ts';
import { deriveToken } from '../../test/links.ts';
import { buildTestServer, testHost as host, testServerOptions as options } from '../../test/server.ts';
import type { CgiEngines } from '../api/machine/route.ts';
import { createKey } from '../domain/accounts/change-keys.ts';
import { setReceivers } from '../domain/drafts/change-draft.ts';
import { readInbox } from '../domain/drops/read-history.ts';
import { ExchangeError } from '../domain/exchange-error.ts';
import { toReference } from '../domain/reference.ts';
import { applyBrand } from '../web/shared/assets.ts';
import { buildServer, type ServerEngines } from './build-server.ts';

/** No engine is used before the first request. */
const noEngines = {} as ServerEngines;

const exchange = await useTestExchange();

describe('every route declares who may call it', () => {
  test('and these are all routes', async () => {
    const app = buildServer(noEngines, options);
    const routes: string[] = [];
    app.addHook('onRoute', (route: RouteOptions) => {
      routes.push(`${[route.method].flat().join()} ${route.url}: ${route.config?.authentication}`);
    });
    await app.ready();
    expect(routes).toMatchInlineSnapshot(`
      [
        "POST /doctor: operator",
        "GET /:user/: account",
        "GET /:user/cgi/contacts_read.cgi: account+csrf",
        "POST /:user/cgi/contacts_add.cgi: account+csrf",
        "POST /:user/cgi/receivers_set.cgi: account+csrf",
        "GET /:user/cgi/get_files.cgi: account+csrf",
        "GET /:user/cgi/remove_file.cgi: account+csrf",
        "POST /:user/cgi/createdrop.cgi: account+csrf",
        "POST /:user/cgi/givedrop.cgi: account+csrf",
        "GET /:user/cgi/get_history.cgi: account+csrf",
        "GET /:user/:inbox/files/:name: account+csrf",
        "HEAD /:user/:inbox/files/:name: account+csrf",
        "GET /:user/:inbox/all.zip: account+csrf",
        "HEAD /:user/:inbox/all.zip: account+csrf",
        "GET /openapi.json: nobody",
        "POST /:user/cgi/upload.cgi: account+csrf",
        "GET /api/v1/account: key",
        "GET /api/v1/keys: key",
        "POST /api/v1/keys: key",
        "DELETE /api/v1/keys/:id: key",
        "POST /api/v1/drops: key",
        "POST /api/v1/drops/check: key",
        "GET /api/v1/drops: key",
        "GET /api/v1/drops/:id: key",
        "POST /api/v1/drops/:id/revoke: key",
        "POST /api/v1/drops/:id/receivers/:receiver_id/revoke: key",
        "POST /api/v1/drops/:id/extend: key",
        "POST /api/v1/drops/:id/remind: key",
        "POST /api/v1/drops/:id/receivers: key",
        "POST /api/v1/drops/:id/receivers/:receiver_id/resend: key",
        "GET /api/v1/drops/:id/shared-links: key",
        "POST /api/v1/drops/:id/shared-links: key",
        "POST /api/v1/drops/:id/shared-links/:link_id/revoke: key",
        "POST /api/v1/requests: key",
        "POST /api/v1/requests/check: key",
        "GET /api/v1/requests: key",
        "GET /api/v1/requests/:id: key",
        "POST /api/v1/requests/:id/revoke: key",
        "POST /api/v1/requests/:id/receivers/:receiver_id/revoke: key",
        "POST /api/v1/requests/:id/extend: key",
        "POST /api/v1/requests/:id/remind: key",
        "POST /api/v1/requests/:id/receivers: key",
        "POST /api/v1/requests/:id/receivers/:receiver_id/resend: key",
        "GET /api/v1/receipts: key",
        "GET /api/v1/uploads: key",
        "GET /api/v1/uploads/:id: key",
        "DELETE /api/v1/uploads/:id: key",
        "GET /api/v1/inbox: key",
        "POST /api/v1/inbox/claim: key",
        "GET /api/v1/inbox/:id: key",
        "POST /api/v1/inbox/:id/renew: key",
        "POST /api/v1/inbox/:id/ack: key",
        "POST /api/v1/inbox/:id/nack: key",
        "POST /api/v1/inbox/:id/release: key",
        "GET /api/v1/contacts: key",
        "POST /api/v1/contacts/import: key",
        "POST /api/v1/contacts/import/check: key",
        "GET /api/v1/contacts/:email: key",
        "PUT /api/v1/contacts/:email: key",
        "DELETE /api/v1/contacts/:email: key",
        "GET /api/v1/events: key",
        "GET /api/v1/webhooks: key",
        "POST /api/v1/webhooks: key",
        "GET /api/v1/webhooks/:id: key",
        "PATCH /api/v1/webhooks/:id: key",
        "DELETE /api/v1/webhooks/:id: key",
        "POST /api/v1/webhooks/:id/replace_secret: key",
        "POST /api/v1/webhooks/:id/enable: key",
        "POST /api/v1/webhooks/:id/disable: key",
        "POST /api/v1/webhooks/:id/test: key",
        "POST /api/v1/webhooks/:id/replay: key",
        "GET /api/v1/webhooks/:id/attempts: key",
        "GET /api/v1/test/messages: key",
        "GET /api/v1/openapi.json: nobody",
        "GET /api/v1/drops/:id/files/:file_id: key",
        "GET /api/v1/drops/:id/all.zip: key",
        "HEAD /api/v1/drops/:id/files/:file_id: key",
        "HEAD /api/v1/drops/:id/all.zip: key",
        "GET /api/v1/drops/:id/receivers/:receiver_id/receipt.pdf: key",
        "GET /api/v1/drops/:id/receivers/:receiver_id/receipt.json: key",
        "GET /api/v1/requests/:id/receivers/:receiver_id/receipt.pdf: key",
        "GET /api/v1/requests/:id/receivers/:receiver_id/receipt.json: key",
        "POST /api/v1/uploads: key",
        "OPTIONS /api/v1/uploads: key",
        "HEAD /api/v1/uploads/:id: key",
        "PATCH /api/v1/uploads/:id: key",
        "GET /api/v1/inbox/:id/files/:file: key",
        "HEAD /api/v1/inbox/:id/files/:file: key",
        "GET /api/v1/inbox/:id/all.zip: key",
        "HEAD /api/v1/inbox/:id/all.zip: key",
        "GET /api/v1/events/stream: key",
        "POST /api/v1/link/open: link",
        "GET /api/v1/link: link-program-pending",
        "POST /api/v1/link/receiver: link-program-pending",
        "POST /api/v1/link/code/send: link-program-pending",
        "POST /api/v1/link/code: link-program-pending",
        "POST /api/v1/link/passphrase: link-program-pending",
        "POST /api/v1/link/close: link-program-pending",
        "GET /api/v1/link/drop: link-program",
        "GET /api/v1/link/files/:file: link-program",
        "HEAD /api/v1/link/files/:file: link-program",
        "GET /api/v1/link/all.zip: link-program",
        "HEAD /api/v1/link/all.zip: link-program",
        "GET /api/v1/link/request: link-program",
        "POST /api/v1/link/uploads: link-program",
        "OPTIONS /api/v1/link/uploads: link-program",
        "GET /api/v1/link/uploads: link-program",
        "HEAD /api/v1/link/uploads/:id: link-program",
        "PATCH /api/v1/link/uploads/:id: link-program",
        "GET /api/v1/link/uploads/:id: link-program",
        "DELETE /api/v1/link/uploads/:id: link-program",
        "POST /api/v1/link/send: link-program",
        "GET /api/v1/link/receipt.pdf: link-program",
        "GET /api/v1/link/receipt.json: link-program",
        "GET,HEAD /genuine: nobody",
        "GET,HEAD /open-link: nobody",
        "POST /open-link: nobody",
        "GET /docs: nobody",
        "GET /docs/:page: nobody",
        "GET /docs/:group/:page: nobody",
        "GET,HEAD /verify: nobody",
        "GET /assets/pages.css: nobody",
        "GET /assets/gesture.js: nobody",
        "GET /d/:token: link",
        "HEAD /d/:token: link",
        "POST /d/:token/ask: link",
        "POST /d/:token: link",
        "POST /download/:handle/code: code-pending",
        "POST /download/:handle/resend: code-pending",
        "POST /download/:handle/passphrase: code-pending",
        "POST /download/:handle/which: code-pending",
        "POST /download/:handle/done: code-pending",
        "GET /download/:handle/done: code-pending",
        "POST /download/:handle/ask: link-session",
        "GET /u/:token: link",
        "HEAD /u/:token: link",
        "POST /u/:token/ask: link",
        "POST /u/:token: link",
        "POST /upload/:handle/code: code-pending",
        "POST /upload/:handle/resend: code-pending",
        "POST /upload/:handle/passphrase: code-pending",
        "POST /upload/:handle/which: code-pending",
        "POST /upload/:handle/done: code-pending",
        "GET /upload/:handle/done: code-pending",
        "POST /upload/:handle/ask: link-session",
        "GET,HEAD /download/:handle/: link-session",
        "GET /download/:handle/delivered: link-session",
        "GET /download/:handle/receipt.pdf: link-session",
        "GET /download/:handle/receipt.json: link-session",
        "GET /download/:handle/SHA256SUMS: link-session",
        "GET,HEAD /download/:handle/files/:file/:name: link-session",
        "GET,HEAD /download/:handle/all.zip: link-session",
        "GET,HEAD /download/:handle/folders/:folder: link-session",
        "GET /m/:token: link",
        "HEAD /m/:token: link",
        "POST /m/:token: link",
        "POST /m/:token/stop: link",
        "POST /m/:token/resume: link",
        "POST /m/:token/report: link",
        "GET,HEAD /upload/:handle/: link-session",
        "GET /upload/:handle/more: link-session",
        "GET /upload/:handle/receipt.pdf: link-session",
        "GET /upload/:handle/receipt.json: link-session",
        "POST /upload/:handle/: link-session",
        "POST,OPTIONS /upload/:handle/tus: link-session",
        "HEAD,PATCH,DELETE /upload/:handle/tus/:id: link-session",
        "GET /upload/:handle/files: link-session",
        "POST /upload/:handle/send: link-session",
        "GET /: nobody",
        "HEAD /: nobody",
        "GET /sign-in: nobody",
        "POST /sign-in: nobody",
        "POST /sign-in/passkey/options: nobody",
        "POST /sign-in/passkey: nobody",
        "GET /sign-in/code: session",
        "POST /sign-in/code: session",
        "POST /sign-out: session",
        "GET /sign-in/link/:token: nobody",
        "POST /sign-in/link/:token: nobody",
        "GET /sign-in/recover: nobody",
        "POST /sign-in/recover: nobody",
        "GET /sign-in/enrolment: session",
        "POST /sign-in/enrolment/password: session",
        "POST /sign-in/enrolment/passkey/options: session",
        "POST /sign-in/enrolment/passkey: session",
        "GET /sign-in/provider/:provider: nobody",
        "POST /sign-in/provider/:provider/link: nobody",
        "GET /sign-in/provider/:provider/callback: nobody",
        "GET /sign-in/provider/:provider/confirm: nobody",
        "POST /sign-in/provider/:provider/confirm: nobody",
        "POST /sign-in/provider/:provider/logout: nobody",
        "GET /to/:name: nobody",
        "POST /to/:name: nobody",
        "GET /home: session",
        "GET /:user/about: member",
        "GET /:user/welcome: member",
        "POST /:user/welcome/sample: member",
        "GET /manifest.webmanifest: nobody",
        "GET /:user/: member",
        "GET /:user/receivers: member",
        "POST /:user/receivers: member",
        "GET /:user/inbox: member",
        "GET /:user/inbox/:id: member",
        "GET /:user/inbox/:id/report: member",
        "POST /:user/inbox/:id/block: member",
        "POST /:user/inbox/:id/done: member",
        "POST /:user/inbox/:id/reopen: member",
        "POST /:user/inbox/:id/release: member",
        "GET /:user/inbox/:id/files/:file: member",
        "GET /:user/inbox/:id/all.zip: member",
        "GET /:user/inbox/:id/folders/:folder: member",
        "GET /:user/inbox/:id/files.zip: member",
        "HEAD /:user/inbox/:id/files/:file: member",
        "HEAD /:user/inbox/:id/all.zip: member",
        "HEAD /:user/inbox/:id/folders/:folder: member",
        "HEAD /:user/inbox/:id/files.zip: member",
        "GET /:user/requests/new: member",
        "POST /:user/requests/new: member",
        "GET /:user/requests: member",
        "POST /:user/requests/remind: member",
        "POST /:user/requests/extend: member",
        "POST /:user/requests/revoke: member",
        "POST /:user/requests/restore: member",
        "GET /:user/requests/:id: member",
        "GET /:user/requests/:id/history.csv: member",
        "GET /:user/requests/:id/receivers/:position/receipt.pdf: member",
        "GET /:user/requests/:id/receivers/:position/receipt.json: member",
        "POST /:user/requests/:id/remind: member",
        "POST /:user/requests/:id/resend: member",
        "POST /:user/requests/:id/receivers/:position/resend: member",
        "POST /:user/requests/:id/restore: member",
        "POST /:user/requests/:id/revoke: member",
        "POST /:user/requests/:id/extend: member",
        "POST /:user/requests/:id/receivers: member",
        "POST /:user/requests/:id/receivers/:position/correct: member",
        "POST /:user/requests/:id/link: member",
        "GET /:user/contacts: member",
        "GET /:user/contacts.csv: member",
        "GET /:user/contacts/new: member",
        "POST /:user/contacts: member",
        "GET /:user/contacts/import: member",
        "POST /:user/contacts/send: member",
        "POST /:user/contacts/ask: member",
        "POST /:user/contacts/remove: member",
        "POST /:user/contacts/group: member",
        "POST /:user/contacts/:email: member",
        "POST /:user/contacts/:email/remove: member",
        "GET /:user/events: member",
        "GET /:user/sent: member",
        "POST /:user/sent/remind: member",
        "POST /:user/sent/extend: member",
        "POST /:user/sent/revoke: member",
        "POST /:user/sent/restore: member",
        "GET /:user/sent.csv: member",
        "GET /:user/sent/:id: member",
        "GET /:user/sent/:id/history.csv: member",
        "GET /:user/sent/:id/receivers/:position/receipt.pdf: member",
        "GET /:user/sent/:id/receivers/:position/receipt.json: member",
        "POST /:user/sent/:id/remind: member",
        "POST /:user/sent/:id/resend: member",
        "POST /:user/sent/:id/receivers/:position/resend: member",
        "POST /:user/sent/:id/restore: member",
        "POST /:user/sent/:id/revoke: member",
        "POST /:user/sent/:id/extend: member",
        "POST /:user/sent/:id/receivers: member",
        "POST /:user/sent/:id/receivers/:position/correct: member",
        "POST /:user/sent/:id/shared-link: member",
        "POST /:user/sent/:id/link: member",
        "GET /:user/sent/:id/files/:file: member",
        "GET /:user/sent/:id/all.zip: member",
        "HEAD /:user/sent/:id/files/:file: member",
        "HEAD /:user/sent/:id/all.zip: member",
        "GET /:user/settings: member",
        "POST /:user/settings/profile: member",
        "POST /:user/settings/notifications: member",
        "POST /:user/settings/shortcuts: member",
        "POST /:user/settings/sessions/end: member",
        "POST /:user/settings/sessions/end-others: member",
        "POST /:user/settings/passkeys/rename: member",
        "POST /:user/settings/passkeys/remove: member",
        "POST /:user/settings/password/remove: member",
        "POST /:user/settings/authenticator/remove: member",
        "POST /:user/settings/providers/unlink: member",
        "POST /:user/settings/password: member",
        "POST /:user/settings/passkeys/options: member",
        "POST /:user/settings/passkeys: member",
        "GET /:user/settings/authenticator: member",
        "POST /:user/settings/authenticator/begin: member",
        "POST /:user/settings/authenticator: member",
        "POST /:user/settings/recovery-codes: member",
        "GET /:user/settings/account: member",
        "POST /:user/settings/account/choices: member",
        "POST /:user/settings/account/public-page: member",
        "POST /:user/settings/account/public-page/unblock: member",
        "POST /:user/settings/members/role: member",
        "POST /:user/settings/members/remove: member",
        "POST /:user/settings/members/invitation/revoke: member",
        "POST /:user/settings/members/invitation: member",
        "GET /:user/uploads: member",
        "OPTIONS /:user/uploads: member",
        "HEAD /:user/uploads/:id: member",
        "DELETE /:user/uploads/:id: member",
        "GET /:user/settings/keys: member",
        "POST /:user/settings/keys: member",
        "POST /:user/settings/keys/revoke: member",
        "GET /:user/settings/webhooks: member",
        "POST /:user/settings/webhooks: member",
        "GET /:user/settings/webhooks/:id: member",
        "POST /:user/settings/webhooks/change: member",
        "POST /:user/settings/webhooks/secret: member",
        "POST /:user/settings/webhooks/remove: member",
        "POST /:user/settings/webhooks/enable: member",
        "POST /:user/settings/webhooks/disable: member",
        "POST /:user/settings/webhooks/test: member",
        "POST /:user/settings/webhooks/replay: member",
        "POST /:user/send: member",
        "POST /share: session",
        "POST /:user/contacts/import/preview: member",
        "POST /:user/contacts/import: member",
        "POST /:user/uploads: member",
        "PATCH /:user/uploads/:id: member",
        "GET,HEAD /log/policy: nobody",
        "GET,HEAD /log/:epoch/checkpoint: nobody",
        "GET,HEAD /log/:epoch/tile/*: nobody",
      ]
    `);
    await app.close();
  });

  test('or the server does not start', async () => {
    const app = buildServer(noEngines, options);
    expect(() => app.get('/open', async () => 'oops')).toThrow('/open does not declare its authentication');
    await app.close();
  });
});

describe('the log', () => {
  /** Starts a server on the test's exchange that records every line it logs. */
  function logged(changes: Partial<CgiEngines> = {}, trustedProxies: readonly string[] = []) {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    return { lines, app: buildTestServer(exchange, changes, { log, trustedProxies }) };
  }

  test('has the client of a proxy, also when its body was abandoned half-way', async () => {
    const { email, apiKey } = await exchange.account();
    const { lines, app } = logged({ csrfTokens: { mint: async () => '', accept: async () => true } }, ['127.0.0.1']);
    await app.listen({ host: '127.0.0.1', port: 0 });
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    const head = {
      host,
      authorization: `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`,
      'csrf-token': 'x'.repeat(43),
      'x-forwarded-for': '203.0.113.9',
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': '1000000',
    };
    const fields = Object.entries(head).map((pair) => pair.join(': '));
    socket.write(`POST /${email}/cgi/upload.cgi HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`);
    socket.write(`--b\r\ncontent-disposition: form-data; name="no"\r\n\r\n${'x'.repeat(100_000)}`);
    await expect.poll(() => lines.filter((line) => line.includes('request completed'))).toHaveLength(1);
    expect(JSON.parse(lines.find((line) => line.includes('request completed')) ?? '')).toMatchObject({
      peer: '203.0.113.9',
      status: 400,
    });
    socket.destroy();
    await app.close();
  });

  test('contains no key, token or text of a person, whatever happens', async () => {
    const receiver = await exchange.account();
    const sender = await exchange.account(receiver.email);
    const account = await exchange.engines.store.accounts.byEmail(receiver.email);
    if (!account) throw new Error('no account');
    const second = await createKey(exchange.engines, account);
    await exchange.drop(sender, [receiver.email], ['confidential-name.txt']);
    const [entry] = await collectGroups(readInbox(exchange.engines, receiver.accountId));
    const { app, lines } = logged();
    const authorization = `Basic ${Buffer.from(`${receiver.email}:${receiver.apiKey}`).toString('base64')}`;
    const index = await app.inject({ url: `/${receiver.email}/`, headers: { host, authorization } });
    expect(index.statusCode).toBe(200);
    const token = /value="([^"]+)"/.exec(index.body)?.[1] as string;
    const headers = { host, authorization, 'csrf-token': token };
    const linkToken = randomBytes(32).toString('base64url');
    const secrets = [
      receiver.apiKey,
      second.apiKey,
      authorization.slice(6),
      token,
      linkToken,
      'a secret message',
      'confidential-name',
    ];

    const cgi = `/${receiver.email}/cgi`;
    const json = { ...headers, 'content-type': 'application/json' };
    const requests = [
      { url: `${cgi}/contacts_read.cgi`, headers },
      { url: `${cgi}/get_history.cgi`, headers },
      { url: `${cgi}/get_files.cgi`, headers: { ...headers, 'csrf-token': linkToken } },
      { url: `${cgi}/remove_file.cgi?filename=confidential-name.txt`, headers },
      { url: `${cgi}/remove_file.cgi?csrf=${token}&filename=x`, headers },
      { url: `/d/${linkToken}`, headers: { host } },
      {
        url: `/${receiver.email}/`,
        headers: {
          host,
          authorization: `Basic ${Buffer.from(`${receiver.email}:${second.apiKey}x`).toString('base64')}`,
        },
      },
      { url: `/${receiver.email}/`, headers: { host, authorization: `Bearer ${second.apiKey}` } },
      {
        method: 'POST' as const,
        url: `${cgi}/createdrop.cgi`,
        headers: json,
        payload: '{"ddmessage":"a secret message"}',
      },
      {
        method: 'POST' as const,
        url: `${cgi}/createdrop.cgi`,
        headers: json,
        payload: '{"ddmessage":"a secret message',
      },
      {
        method: 'POST' as const,
        url: `${cgi}/createdrop.cgi`,
        headers: json,
        payload: '{"ddmessage":7,"x":"a secret message"}',
      },
      { url: `/${receiver.email}/${entry?.id}/files/confidential-name.txt`, headers },
    ];
    for (const request of requests) await app.inject(request);

    const broken = (cause: Error) => ({
      ...exchange.engines.store,
      accounts: { ...exchange.engines.store.accounts, credentials: () => Promise.reject(cause) },
    });
    for (const cause of [
      new ExchangeError('unavailable', undefined, { cause: new Error('away') }),
      new TypeError('a bug'),
    ]) {
      const failing = logged({ store: broken(cause) });
      await failing.app.inject({ url: `/${receiver.email}/`, headers: { host, authorization } });
      expect(failing.lines.join()).toContain(cause instanceof TypeError ? 'a bug' : 'away');
      lines.push(...failing.lines);
      await failing.app.close();
    }
    await app.close();

    expect(lines.filter((line) => line.includes('"request completed"'))).toHaveLength(requests.length + 3);
    for (const secret of secrets) for (const line of lines) expect(line).not.toContain(secret);
  });

  test('names the drop that a request is about by its reference, and no token', async () => {
    const actor = await exchange.account('r@example.org');
    await exchange.prepare(actor, ['r@example.org'], ['a.txt']);
    const token = randomBytes(32).toString('base64url');
    const csrfTokens = { mint: async () => token, accept: async () => true };
    const { app, lines } = logged({ csrfTokens });
    const authorization = `Basic ${Buffer.from(`${actor.email}:${actor.apiKey}`).toString('base64')}`;
    const json = { host, authorization, 'csrf-token': token, 'content-type': 'application/json' };
    const dispatch = async (endpoint: string) => {
      const url = `/${actor.email}/cgi/${endpoint}.cgi`;
      await setReceivers(exchange.engines, actor, '', [{ email: 'r@example.org' }]);
      expect((await app.inject({ method: 'POST', url, headers: json, payload: '{}' })).statusCode).toBe(200);
      const [drop] = await exchange.database.query<{ id: string; message: string }>(
        `select drops.id, messages.id as message from drops join messages on drop_id = drops.id
         where drops.account_id = $1 order by drops.id desc limit 1`,
        [actor.accountId],
      );
      return drop ?? { id: '', message: '' };
    };
    const [drop, request] = [await dispatch('createdrop'), await dispatch('givedrop')];
    const link = await deriveToken(exchange, actor, drop.id, 0);
    const stop = new URL(exchange.engines.stopLinks.toUrl(drop.message)).pathname;
    const form = { host, 'content-type': 'application/x-www-form-urlencoded' };
    const opened = await app.inject({ method: 'POST', url: `/d/${link}`, headers: form, payload: 'gesture=pressed' });
    const page = String(opened.headers.location);
    const cookie = String(opened.headers['set-cookie']).split(';', 1)[0] as string;
    for (const url of [`/d/${link}`, page, `${page}all.zip`, stop]) {
      expect((await app.inject({ url, headers: { host, cookie } })).statusCode).toBe(200);
    }
    await exchange.database.query('update drops set ended_at = now() where id = $1', [drop.id]);
    expect((await app.inject({ url: `/d/${link}`, headers: { host } })).statusCode).toBe(410);
    await app.close();

    const requestLines = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg }) => msg === 'request completed')
      .map(({ route, reqId, reference }) => [route, typeof reqId, reference]);
    const about = (route: string, { id }: { id: string }) => [route, 'string', toReference(id)];
    expect(requestLines).toEqual([
      about('/:user/cgi/createdrop.cgi', drop),
      about('/:user/cgi/givedrop.cgi', request),
      about('/d/:token', drop),
      about('/d/:token', drop),
      about('/download/:handle/', drop),
      about('/download/:handle/all.zip', drop),
      about('/m/:token', drop),
      about('/d/:token', drop),
    ]);
    const secrets = [link, stop.slice('/m/'.length), token, cookie.split('=')[1] ?? ''];
    for (const secret of secrets) for (const line of lines) expect(line).not.toContain(secret);
  });

  test('names each request by route, status, account and id', async () => {
    const actor = await exchange.account();
    const { app, lines } = logged();
    const authorization = `Basic ${Buffer.from(`${actor.email}:${actor.apiKey}`).toString('base64')}`;
    const response = await app.inject({ url: `/${actor.email}/`, headers: { host, authorization } });
    const line = JSON.parse(lines.find((text) => text.includes('request completed')) as string) as Record<
      string,
      unknown
    >;
    expect(line).toMatchObject({
      route: '/:user/',
      status: 200,
      account: actor.accountId,
      reqId: response.headers['x-request-id'],
    });
    await app.close();
  });
});

describe('every response', () => {
  test.each([
    ['of an unknown path', { url: '/nowhere' }, 404, 'not_found'],
    [
      'of another method',
      { method: 'DELETE' as const, url: `/${randomUUID()}@example.org/cgi/contacts_read.cgi` },
      405,
      'method_not_allowed',
    ],
    ['without credentials', { url: '/a@example.org/' }, 401, 'unauthorized'],
    ['of a path that is no path', { url: '/%zz/' }, 400, 'malformed_request'],
    ['of another host', { url: '/nowhere', headers: { host: 'evil.example.org' } }, 421, 'wrong_host'],
  ])('%s is JSON with the same headers', async (_what, request, status, code) => {
    const app = buildServer(noEngines, options);
    const response = await app.inject({ headers: { host }, ...request });
    expect(response.statusCode).toBe(status);
    expect(response.json()).toEqual({ status: 'error', code, message: expect.any(String) });
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-cache, no-store, must-revalidate',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'x-request-id': 'test-1',
      'strict-transport-security': expect.any(String),
      'content-security-policy': expect.any(String),
    });
    await app.close();
  });

  test('to another method lists the allowed ones', async () => {
    const app = buildServer(noEngines, options);
    const allowed = async (url: string) =>
      (await app.inject({ method: 'PUT', url, headers: { host } })).headers['allow'];
    expect(await allowed('/a@example.org/cgi/upload.cgi')).toBe('POST');
    expect(await allowed('/a@example.org/0190/files/a.txt')).toBe('GET, HEAD');
    expect(await allowed('/d/token')).toBe('GET, HEAD, POST');
    expect(await allowed('/a@example.org/cgi/uploadXcgi')).toBeUndefined();
    await app.close();
  });
});

describe('a browser', () => {
  const policy = { publicUrl: options.publicUrl, mailFrom: 'files@example.org' };
  const engines = { policy } as ServerEngines;
  const ask = async (url: string, pages: Partial<typeof options.pages> = {}) => {
    const app = buildServer(engines, { ...options, pages: { ...options.pages, ...pages } });
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const response = await app.inject({ url, headers: { host, accept, 'accept-language': 'en' } });
    await app.close();
    return response;
  };

  test.each([['/nowhere', 404, 'There is nothing at this address']])(
    'gets a page at %s',
    async (url, status, title) => {
      const response = await ask(url);
      expect(response.statusCode).toBe(status);
      expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(response.body).toContain(`>${title}</h1>`);
      expect(response.headers['www-authenticate']).toBe(
        status === 401 ? 'Basic realm="Waybill", charset="UTF-8"' : undefined,
      );
    },
  );

  test.each([
    ['that accepts anything', { accept: '*/*' }],
    ['in Java, which accepts HTML by default', { accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2' }],
    ['with a key', { accept: 'text/html,application/xhtml+xml', authorization: 'Basic eDp5' }],
  ])('is told from a program %s, which gets JSON', async (_what, headers) => {
    const app = buildServer(engines, options);
    const response = await app.inject({ url: '/nowhere', headers: { host, ...headers } });
    expect(response.json()).toMatchObject({ code: 'not_found' });
    await app.close();
  });

  test('is told at /genuine who runs this server, and how to recognise a genuine link', async () => {
    const operator = {
      name: 'Acme Files',
      supportAddress: 'help@acme.example',
      imprintUrl: 'https://acme.example/imprint',
      privacyUrl: 'https://acme.example/privacy',
    };
    const { statusCode, body } = await ask('/genuine', { operator });
    expect(statusCode).toBe(200);
    const text = body.replace(/<wbr\/>|<\/?strong>/g, '');
    for (const said of [...Object.values(operator), `${policy.publicUrl}/d/`, policy.mailFrom]) {
      expect(text).toContain(said);
    }
  });

  test("sees the operator's colour and logo", async () => {
    const logo = { type: 'svg', content: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') } as const;
    const assets = applyBrand(options.pages.assets, { color: '#ffe000', logo });
    const { body } = await ask('/genuine', { assets });
    const [, image] = /<img class="logo" src="([^"]+)"/.exec(body) ?? [];
    const [, stylesheet] = /href="(\/assets\/brand-[^"]+)"/.exec(body) ?? [];
    const got = await ask(image ?? '', { assets });
    expect(got.body).toBe(logo.content.toString());
    expect(got.headers['content-type']).toBe('image/svg+xml; charset=utf-8');
    // Yellow cannot be read on white, but a darker shade of it can, and a yellow button has dark text.
    expect((await ask(stylesheet ?? '', { assets })).body).toMatch(
      /^:root\{--accent:#(?!ffe000)[\da-f]{6};--fill:#ffe000;--fill-hover:#[\da-f]{6};--on-fill:#0c1214;/,
    );
  });
});
