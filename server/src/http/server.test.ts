import { randomBytes, randomUUID } from 'node:crypto';
import type { RouteOptions } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKey } from '../domain/accounts/create-key.ts';
import { readInbox } from '../domain/drops/read-history.ts';
import { ExchangeError } from '../domain/exchange-error.ts';
import { allOf } from '../testing/all-of.ts';
import { openTestExchange, type TestExchange } from '../testing/exchange.ts';
import { testPages } from '../testing/pages.ts';
import type { CgiEngines } from './cgi/endpoint.ts';
import type { PageEngines } from './pages/routes.tsx';
import { buildServer } from './server.ts';

/** Nothing is asked of the engines before a request comes. */
const noEngines = {} as CgiEngines & PageEngines;
const silent = pino({ level: 'silent' });
const options = {
  log: silent,
  processTag: 'test',
  publicUrl: 'https://files.example.org',
  allowedHosts: [],
  trustedProxies: [],
  paceLimits: { minBodyBytesPerSecond: 1024 },
  pages: testPages,
};
const host = 'files.example.org';

describe('every route declares who may call it', () => {
  test('these are all of them', async () => {
    const app = buildServer(noEngines, options);
    const routes: string[] = [];
    app.addHook('onRoute', (route: RouteOptions) => {
      routes.push(`${[route.method].flat().join()} ${route.url}: ${route.config?.authentication}`);
    });
    await app.ready();
    expect(routes).toMatchInlineSnapshot(`
      [
        "GET /:user/: account",
        "GET /:user/cgi/contacts_read.cgi: account+csrf",
        "POST /:user/cgi/contacts_add.cgi: account+csrf",
        "POST /:user/cgi/receivers_set.cgi: account+csrf",
        "GET /:user/cgi/get_files.cgi: account+csrf",
        "GET /:user/cgi/remove_file.cgi: account+csrf",
        "POST /:user/cgi/createdrop.cgi: account+csrf",
        "POST /:user/cgi/givedrop.cgi: account+csrf",
        "GET /:user/cgi/get_history.cgi: account+csrf",
        "GET,HEAD /:user/:inbox/files/:name: account+csrf",
        "GET /openapi.json: nobody",
        "POST /:user/cgi/upload.cgi: account+csrf",
        "GET /assets/pages.css: nobody",
        "GET /assets/gesture.js: nobody",
        "GET /d/:token: link",
        "HEAD /d/:token: link",
        "POST /d/:token: link",
        "POST /download/:handle/code: code-pending",
        "POST /download/:handle/resend: code-pending",
        "POST /download/:handle/done: code-pending",
        "GET /u/:token: link",
        "HEAD /u/:token: link",
        "POST /u/:token: link",
        "POST /upload/:handle/code: code-pending",
        "POST /upload/:handle/resend: code-pending",
        "POST /upload/:handle/done: code-pending",
        "GET,HEAD /download/:handle/: link-session",
        "GET,HEAD /download/:handle/files/:file/:name: link-session",
        "GET,HEAD /download/:handle/all.zip: link-session",
        "GET,HEAD /upload/:handle/: link-session",
        "POST /upload/:handle/: link-session",
        "POST,OPTIONS /upload/:handle/tus: link-session",
        "HEAD,PATCH,DELETE /upload/:handle/tus/:id: link-session",
        "GET /upload/:handle/files: link-session",
        "POST /upload/:handle/send: link-session",
      ]
    `);
    await app.close();
  });

  test('and one that does not stops the server from starting', async () => {
    const app = buildServer(noEngines, options);
    expect(() => app.get('/open', async () => 'oops')).toThrow('/open does not declare its authentication');
    await app.close();
  });
});

describe('the log', () => {
  let exchange: TestExchange;
  beforeAll(async () => {
    exchange = await openTestExchange();
  });
  afterAll(() => exchange[Symbol.asyncDispose]());

  /** A server on the test's exchange that keeps every line it logs. */
  function logged(changes: Partial<CgiEngines> = {}) {
    const lines: string[] = [];
    const minted = new Set<string>();
    const engines: CgiEngines & PageEngines = {
      ...exchange.engines,
      csrfTokens: {
        async mint() {
          const token = randomBytes(32).toString('base64url');
          minted.add(token);
          return token;
        },
        accept: async (_account, token) => minted.has(token),
      },
      failureLimit: { record: async () => 0 },
      ...changes,
    };
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    return { lines, engines, app: buildServer(engines, { ...options, log }) };
  }

  test('holds no key, token or text of anyone, whatever happens', async () => {
    const receiver = await exchange.account();
    const sender = await exchange.account(receiver.email);
    const account = await exchange.engines.store.accounts.byEmail(receiver.email);
    if (!account) throw new Error('no account');
    const second = await createKey(exchange.engines, account);
    await exchange.drop(sender, [receiver.email], ['confidential-name.txt']);
    const [entry] = await allOf(readInbox(exchange.engines, receiver.accountId));
    const { app, lines, engines } = logged();
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
      ...engines.store,
      accounts: { ...engines.store.accounts, credentials: () => Promise.reject(cause) },
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

    expect(lines.filter((line) => line.includes('"answered"'))).toHaveLength(requests.length + 3);
    for (const secret of secrets) for (const line of lines) expect(line).not.toContain(secret);
  });

  test('names each request by route, status, account and id', async () => {
    const actor = await exchange.account();
    const { app, lines } = logged();
    const authorization = `Basic ${Buffer.from(`${actor.email}:${actor.apiKey}`).toString('base64')}`;
    const answer = await app.inject({ url: `/${actor.email}/`, headers: { host, authorization } });
    const line = JSON.parse(lines.find((text) => text.includes('answered')) as string) as Record<string, unknown>;
    expect(line).toMatchObject({
      route: '/:user/',
      status: 200,
      account: actor.accountId,
      reqId: answer.headers['x-request-id'],
    });
    await app.close();
  });
});

describe('every answer', () => {
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
    ['of another host', { url: '/', headers: { host: 'evil.example.org' } }, 421, 'wrong_host'],
  ])('%s is JSON with the same headers', async (_what, request, status, code) => {
    const app = buildServer(noEngines, options);
    const answer = await app.inject({ headers: { host }, ...request });
    expect(answer.statusCode).toBe(status);
    expect(answer.json()).toEqual({ status: 'error', code, message: expect.any(String) });
    expect(answer.headers).toMatchObject({
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

  test('of another method says which ones there are', async () => {
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
