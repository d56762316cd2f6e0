import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  createHostileJson,
  hostileEscapes,
  hostileHeaders,
  hostileTexts,
  isPaired,
} from '../../../test/hostile-input.ts';
import { testHost } from '../../../test/server.ts';
import { useTestServer } from '../../../test/use-test-server.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';

const { exchange, app } = await useTestServer();
const owner = await exchange.account();

async function requestStatus(
  method: Route['method'],
  url: string,
  payload?: string,
  headers: Record<string, string> = {},
): Promise<number> {
  const response = await app.inject({
    method,
    url: `/api/v1${url}`,
    headers: {
      host: testHost,
      authorization: `Bearer ${owner.apiKey}`,
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(payload === undefined ? {} : { payload }),
    // A stream does not end by itself.
    payloadAsStream: url.startsWith('/events/stream'),
  });
  if (url.startsWith('/events/stream')) response.stream().destroy();
  return response.statusCode;
}

const isFine = async (what: unknown, status: Promise<number>) =>
  expect(await status, JSON.stringify(what)?.slice(0, 300)).toBeLessThan(500);

const headerNames = [
  'authorization',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'range',
  'if-range',
  'content-type',
  'repr-digest',
  'tus-resumable',
  'upload-length',
  'upload-offset',
  'upload-metadata',
];

/**
 * Headers are read before a route is called, or by the routes that stream: the first route of each method stands for the
 * others, which would take minutes.
 */
const readsHeaders = (route: Route) =>
  route.stream !== undefined || routes.find(({ method }) => method === route.method) === route;

test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s never fails because of hostile texts',
  async (_name, route) => {
    const { method, path, query, body, example } = route;
    const plain = path.replace(/:\w+/g, randomUUID());
    const { properties = {} } = (query ?? {}) as { properties?: object };
    const usual = body ? JSON.stringify(example) : undefined;
    // Runs first, before a limit is reached, such as that of keys.
    const withOptional = hostileTexts.map((text) =>
      JSON.stringify({ ...example, expires_at: text, description: text, since: text, name: text }),
    );
    for (const json of body ? [...withOptional, ...createHostileJson(example)] : []) {
      await isFine(json, requestStatus(method, plain, json));
    }
    for (const [index, text] of hostileEscapes.entries()) {
      if (path !== plain) await isFine(text, requestStatus(method, path.replace(/:\w+/g, text), usual));
      const names = [...Object.keys(properties), text].filter((_, place) => isPaired(place, index));
      for (const name of names) await isFine([name, text], requestStatus(method, `${plain}?${name}=${text}`, usual));
    }
    if (!readsHeaders(route)) return;
    for (const name of headerNames) {
      for (const text of hostileHeaders)
        await isFine([name, text], requestStatus(method, plain, usual, { [name]: text }));
    }
    for (const text of hostileTexts) {
      const metadata = `filename ${Buffer.from(text).toString('base64')},filetype ${Buffer.from(text).toString('base64')}`;
      const headers = { 'tus-resumable': '1.0.0', 'upload-length': '1', 'upload-metadata': metadata };
      await isFine(['upload-metadata', text], requestStatus(method, plain, undefined, headers));
    }
  },
);

test('a parameter that occurs twice is no fault of ours, in any part of the server', async () => {
  for (const route of routes) {
    const { properties = {} } = (route.query ?? {}) as { properties?: object };
    const query = Object.keys(properties)
      .flatMap((name) => [`${name}=a`, `${name}=b`])
      .join('&');
    await isFine(query, requestStatus(route.method, `${route.path.replace(/:\w+/g, randomUUID())}?${query}`));
  }
  const ofMachineApi = ['', 'get_files.cgi', 'contacts_read.cgi', 'get_history.cgi', 'remove_file.cgi'];
  const pages = [
    '/',
    '/docs',
    '/verify',
    '/d/x',
    '/d/x/code',
    '/u/x',
    '/u/x/code',
    '/m/x',
    '/to/x',
    '/sign-in',
    '/nothing',
  ];
  for (const url of [...pages, ...ofMachineApi.map((name) => `/${owner.email}/${name}`)]) {
    const query = ['lang', 'code', 'next', 'filename', 'after'].flatMap((name) => [`${name}=a`, `${name}=b`]).join('&');
    const authorization = `Basic ${Buffer.from(`${owner.email}:${owner.apiKey}`).toString('base64')}`;
    const { statusCode } = await app.inject({ url: `${url}?${query}`, headers: { host: testHost, authorization } });
    expect(statusCode, url).toBeLessThan(500);
  }
});

test('an unknown method is refused before anything else', async () => {
  for (const url of ['/', '/api/v1/account', `/${owner.email}/`, '/docs']) {
    const response = await app.inject({ method: 'QUERY' as 'GET', url, headers: { host: testHost } });
    expect([url, response.statusCode]).toEqual([url, 405]);
  }
});
