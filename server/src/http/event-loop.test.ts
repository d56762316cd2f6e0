import { limits } from '@waybill/protocol';
import type { InjectOptions, RouteOptions } from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { openLink } from '../domain/links/open-link.ts';
import { useTestExchange } from '../testing/exchange.ts';
import { sentLink } from '../testing/links.ts';
import { measureLongestTurn } from '../testing/longest-turn.ts';
import { buildTestServer, testHost } from '../testing/server.ts';
import { signInMember } from '../testing/sign-in-member.ts';
import { downloads } from './pages/link-pages.ts';
import { sessionCookie } from './pages/session.ts';

/**
 * How long one request may hold the event loop, in milliseconds of CPU time: docs/scaling.md. Only `npm run lab --
 * event-loop` measures so strictly; other tests run beside this one, and code that runs for the first time is slow.
 */
const isStrict = process.env['WAYBILL_EVENT_LOOP'] !== undefined;
const boundMs = isStrict ? 50 : 500;
const rounds = isStrict ? 3 : 1;

const exchange = await useTestExchange();
const app = buildTestServer(exchange, { csrfTokens: { mint: async () => '', accept: async () => true } });
afterAll(() => app.close());
const routes: RouteOptions[] = [];
app.addHook('onRoute', (route) => void routes.push(route));
await app.ready();
const member = await signInMember(exchange, app, 'owner');
const { account, browser } = member;
const { link } = await sentLink(exchange, ['a.txt']);
const linkCookie = sessionCookie(downloads, await openLink(exchange.engines, link), undefined, false).split(';', 1)[0];

/** Of a request's first line and its headers together: see `maxHeaderSize`. */
const headBytes = 15_000;
const formBytes = 60_000;

/** What a caller may send most of, in one text: each is cheap to write, and tempts a parser to do much. */
const tempting = [',', 'a,', 'a;b', ' ', '"', '%2C', '@', 'a@b.c,', '\n', '(', '=?'];
const fieldNames = [
  'to',
  'receivers',
  'email',
  'ids',
  'q',
  'group',
  'groups',
  'upload',
  'message',
  'name',
  'next',
  'after',
];
const headerNames = [
  'accept-language',
  'accept',
  'cookie',
  'range',
  'if-match',
  'if-none-match',
  'repr-digest',
  'prefer',
];
const tusHeaders = { 'tus-resumable': '1.0.0', 'upload-length': '1' };

type SentRequest = Omit<Partial<InjectOptions>, 'url'> & { readonly url: string };

interface Schema {
  readonly type?: string;
  readonly properties?: Record<string, Schema>;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly required?: readonly string[];
}

/** A value of the schema, as short as possible; each has an address of its own. */
function makeItem(schema: Schema, index: number): unknown {
  if (schema.type === 'object' || schema.properties) {
    const named = schema.required ?? Object.keys(schema.properties ?? {}).slice(0, 1);
    return Object.fromEntries(named.map((name) => [name, makeItem(schema.properties?.[name] ?? {}, index)]));
  }
  if (schema.type === 'array') return [];
  return schema.type === 'integer' ? index : `c${index}@b.example`;
}

/** JSON bodies that are as large as the route accepts: many items, many fields, a long text. */
function* makeJson(body: Schema, bytes: number): Generator<string> {
  yield `{${Array.from({ length: bytes / 16 }, (_, index) => `"f${index}":""`).join()}}`;
  yield `[${'{},'.repeat(bytes / 4)}{}]`;
  yield JSON.stringify({ name: '\\"'.repeat(bytes / 4) }).slice(0, bytes);
  for (const [name, property] of Object.entries(body.properties ?? {})) {
    const { items } = property;
    if (!items) continue;
    const itemBytes = JSON.stringify(makeItem(items, bytes)).length + 1;
    const length = Math.floor((bytes - 1000) / itemBytes);
    for (const count of new Set([Math.min(length, property.maxItems ?? length), length])) {
      const rest = makeItem({ ...body, type: 'object' }, 1) as object;
      yield JSON.stringify({ ...rest, [name]: Array.from({ length: count }, (_, index) => makeItem(items, index)) });
    }
  }
}

function* makeBodies({ schema, bodyLimit, config }: RouteOptions): Generator<Omit<SentRequest, 'url'>> {
  const body = (schema as { body?: Schema } | undefined)?.body ?? {};
  for (const payload of makeJson(body, bodyLimit ?? limits.jsonBytes)) {
    yield { payload, headers: { 'content-type': 'application/json', accept: 'application/json' } };
  }
  if (config?.surface !== 'app' && config?.surface !== 'pages') return;
  for (const text of tempting) {
    const fields = new URLSearchParams({ csrftoken: browser.csrf });
    for (const name of fieldNames) fields.set(name, text.repeat(formBytes / fieldNames.length / text.length / 3));
    yield form(fields.toString().slice(0, formBytes));
  }
  yield form(`csrftoken=${browser.csrf}&${'a&'.repeat(formBytes / 2)}`);
  for (const name of ['to', 'email', 'upload'])
    yield form(`csrftoken=${browser.csrf}&${`${name}=a@b.c&`.repeat(5_000)}`);
  const boundary = 'x';
  const part = (name: string, text: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
  const multipart = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  const token = part('csrftoken', browser.csrf);
  for (const text of ['a@b.c,', 'a,', '\n', '"', 'x y\n']) {
    const payload = `${token}${part('to', text.repeat(500_000 / text.length))}--${boundary}--\r\n`;
    yield { payload, headers: multipart };
  }
  yield { payload: `${token}${part('x', '').repeat(190)}--${boundary}--\r\n`, headers: multipart };
}

function form(payload: string): Omit<SentRequest, 'url'> {
  return { payload, headers: { 'content-type': 'application/x-www-form-urlencoded' } };
}

function* makeRequests(route: RouteOptions, base: string): Generator<SentRequest> {
  const method = [route.method].flat()[0] as string;
  for (const text of tempting) {
    const long = encodeURIComponent(text);
    const repeated = long.repeat(headBytes / long.length / 3);
    yield {
      url: `${base}?${fieldNames.map((name) => `${name}=${repeated.slice(0, headBytes / fieldNames.length)}`).join('&')}`,
    };
    for (const name of ['q', 'ids', 'to', 'next']) yield { url: `${base}?${name}=${repeated}` };
    const value = text.replace('\n', '\t').repeat(headBytes / text.length);
    for (const name of headerNames) yield { url: base, headers: { [name]: value } };
    yield { url: base, headers: { ...tusHeaders, 'upload-metadata': value } };
  }
  yield { url: `${base}?${'a&'.repeat(headBytes / 2)}` };
  yield { url: `${base}?${fieldNames.map((name) => `${name}=a&`.repeat(100)).join('')}` };
  const pairs = Array.from({ length: headBytes / 8 }, (_, index) => `k${index} YQ==`).join();
  yield { url: base, headers: { ...tusHeaders, 'upload-metadata': pairs } };
  if (method === 'GET' || method === 'HEAD') return;
  for (const body of makeBodies(route)) yield { url: base, ...body };
}

const usual = {
  host: testHost,
  'user-agent': 'Firefox',
  'sec-fetch-site': 'same-origin',
  'csrf-token': browser.csrf,
  cookie: `${[...browser.cookies].map((pair) => pair.join('=')).join('; ')}; ${linkCookie}`,
};

async function send(route: RouteOptions, { url, headers, payload }: SentRequest) {
  const method = [route.method].flat()[0] as NonNullable<InjectOptions['method']>;
  const isProgram = route.config?.surface === 'v1' || route.config?.surface === 'api';
  const basic = `Basic ${Buffer.from(`${account.email}:${account.apiKey}`).toString('base64')}`;
  const authorization = route.config?.surface === 'v1' ? `Bearer ${account.apiKey}` : basic;
  const streams = /events/.test(route.url);
  const options = {
    method,
    url,
    headers: { ...usual, ...(isProgram ? { authorization } : {}), ...headers },
    ...(payload === undefined ? {} : { payload: Buffer.from(payload as string) }),
    payloadAsStream: streams,
  };
  let bytes = 0;
  const ms = await measureLongestTurn(async () => {
    const response = await app.inject(options);
    if (streams) response.stream().destroy();
    else bytes = response.rawPayload.length;
  });
  return { ms, bytes };
}

/** Without those that end the session, or wait. Some stand for all where the bound is coarse. */
const measured = routes.filter(({ url, method }, index) => {
  const methods = [method].flat();
  if (!isStrict && index % 10 > 0) return false;
  return !methods.includes('OPTIONS') && !/sign-out|doctor|wait|stream|:handle\/tus/.test(url);
});

test.each(measured.map((route) => [`${[route.method].flat().join()} ${route.url}`, route] as const))(
  '%s',
  async (name, route) => {
    const base = route.url
      .replace(':user', encodeURIComponent(account.email))
      .replace(/:\w+/g, '018f0000-0000-7000-8000-000000000000')
      .replace('*', 'x');
    let [worst, what, largest] = [0, '', 0];
    const requests = [...makeRequests(route, base)].filter((_, index) => isStrict || index % 9 === 0 || index > 150);
    for (const request of requests) {
      const body = JSON.stringify(request.payload ?? '');
      let best = Number.POSITIVE_INFINITY;
      for (let round = 0; round < rounds && best > boundMs / 2; round += 1) {
        const { ms, bytes } = await send(route, request);
        best = Math.min(best, ms);
        largest = Math.max(largest, bytes);
      }
      if (best <= worst) continue;
      worst = best;
      what = `${request.url} ${JSON.stringify(request.headers ?? {})} ${body.length} ${body.slice(0, 200)}`;
    }
    if (isStrict)
      process.stdout.write(`${worst.toFixed(0).padStart(5)} ms ${String(largest).padStart(9)} bytes  ${name}\n`);
    expect(worst, what.slice(0, 600)).toBeLessThan(boundMs);
    // Not drawn from what was sent: at most the fields of a form, which a page shows again, each character as an entity.
    expect(largest).toBeLessThan(8 * limits.jsonBytes);
  },
);
