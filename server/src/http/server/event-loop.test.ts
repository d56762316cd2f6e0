import { Readable } from 'node:stream';
import { limits } from '@waybill/protocol';
import type { InjectOptions, RouteOptions } from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { type TestExchange, useTestExchange } from '../../../test/exchange.ts';
import { announceUpload, openRequestLink } from '../../../test/file-requests.ts';
import { deriveToken } from '../../../test/links.ts';
import { measureLongestTurn } from '../../../test/longest-turn.ts';
import { buildTestServer, testHost } from '../../../test/server.ts';
import { signInMember } from '../../../test/sign-in-member.ts';
import { storeUploads } from '../../../test/stored-uploads.ts';
import { Sequencer } from '../../domain/evidence/sequencer.ts';
import { findLink } from '../../domain/links/find-link.ts';
import type { Link } from '../../domain/links/link-store.ts';
import { openLink } from '../../domain/links/open-link.ts';
import { contactDraftName } from '../../domain/uploads/contact-draft.ts';
import { describeChoice } from '../../web/app/contacts/contact-import-page.tsx';
import { findPages } from '../../web/links/link-pages.ts';
import { sessionCookie, sessionPath } from '../../web/links/session.ts';
import { formBytes as pageFormBytes } from '../../web/shared/person.ts';
import { tusType } from '../transfer/tus.ts';

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
const { engines, database } = exchange;
const sequencer = new Sequencer(engines);

const shortList = ['a.txt'];
/** As many files as a drop can have, in folders within folders, with names that are long on a page. */
const fullList = Array.from(
  { length: limits.filesPerDraft },
  (_, index) => `${'Plans & drawings/'.repeat(30)}${index % 50}/${index}${'&'.repeat(200)}.txt`,
);

async function sendDrop(
  sender: Awaited<ReturnType<TestExchange['account']>>,
  receiver: string,
  paths: readonly string[],
) {
  const sent = await app.inject({
    method: 'POST',
    url: '/api/v1/drops',
    headers: { host: testHost, authorization: `Bearer ${sender.apiKey}` },
    payload: { uploads: await storeUploads(exchange, sender.accountId, paths), receivers: [{ email: receiver }] },
  });
  const dropId: string = sent.json().id;
  return { dropId, token: await deriveToken(exchange, sender, dropId, 0) };
}

/**
 * An owner, a program, a receiver and a contact of an account, and one of everything that a path can name: a route that does
 * not find it would refuse the request before it looks at it. Drops and a contact's draft have these files.
 */
async function makeWorld(paths: readonly string[]) {
  const account = await exchange.account('r@example.org', 'c@example.org');
  const { browser } = await signInMember(exchange, app, 'owner', account);
  const sent = await sendDrop(account, 'r@example.org', paths);
  const asked = await openRequestLink(exchange, ['c@example.org'], account);
  await storeUploads(exchange, account.accountId, paths, contactDraftName(asked.link));
  await sendDrop(await exchange.account(), account.email, paths);
  const [entry] = await database.query<{ id: string }>('select id from inbox_entries where account_id = $1', [
    account.accountId,
  ]);
  const cookies = [...browser.cookies].map((pair) => pair.join('='));
  const open = async (link: Link) => {
    const [pages, secret] = [findPages(link), await openLink(engines, link)];
    cookies.push(sessionCookie(pages, secret, undefined, false).split(';', 1)[0] as string);
    return sessionPath(pages, secret).split('/')[2] as string;
  };
  const link = await findLink(engines, sent.token, 'downloadfiles');
  const handles = { download: await open(link), upload: await open(asked.link) };
  const tokens = { d: sent.token, u: await deriveToken(exchange, account, asked.link.dropId, 0) };
  const [file] = await engines.store.links.files(link);
  const begin = async (url: string, headers: Readonly<Record<string, string>>) => {
    const begun = await app.inject({
      method: 'POST',
      url,
      headers: { host: testHost, cookie: cookies.join('; '), ...tusHeaders, 'upload-length': '10000000', ...headers },
    });
    return String(begun.headers.location).split('/').at(-1) as string;
  };
  const metadata = { 'upload-metadata': 'filename YQ==' };
  const ofPage = { ...metadata, 'sec-fetch-site': 'same-origin', 'csrf-token': browser.csrf };
  const bearer = { authorization: `Bearer ${account.apiKey}` };
  const webhook = await app.inject({
    method: 'POST',
    url: '/api/v1/webhooks',
    headers: { host: testHost, ...bearer },
    payload: { url: 'https://example.org/hook' },
  });
  /** By what comes before it in the path. */
  const ids: Record<string, string | undefined> = {
    sent: sent.dropId,
    drops: sent.dropId,
    requests: asked.link.dropId,
    inbox: entry?.id,
    uploads: await begin(`/${encodeURIComponent(account.email)}/uploads`, ofPage),
    'v1/uploads': await begin('/api/v1/uploads', { ...metadata, ...bearer }),
    tus: paths === fullList ? undefined : await announceUpload(engines, asked.link, 'c.txt', 10_000_000),
    files: file?.id,
    webhooks: webhook.json().id,
  };
  // A receipt waits until its events are in the log.
  for (let isMore = true; isMore; ) isMore = await sequencer.step(new AbortController().signal);
  const fill = (route: string) =>
    route
      .replace(':user', encodeURIComponent(account.email))
      .replace(/(\w+)\/:handle/, (_, home: 'download' | 'upload') => `${home}/${handles[home]}`)
      .replace(/\/(\w+)\/:token/, (_, kind: 'd' | 'u') => `/${kind}/${tokens[kind] ?? 'x'.repeat(43)}`)
      .replace(
        /((?:v1\/uploads)|\w+)\/:(?:id|file|drop|inbox)\b/g,
        (_, kind: string) => `${kind}/${ids[kind] ?? nobody}`,
      )
      .replace(':email', 'r%40example.org')
      .replace(/:\w+/g, nobody)
      .replace('*', 'x');
  const usual = {
    host: testHost,
    'user-agent': 'Firefox',
    'sec-fetch-site': 'same-origin',
    'csrf-token': browser.csrf,
    cookie: cookies.join('; '),
  };
  return { account, browser, fill, usual, bearer };
}

type World = Awaited<ReturnType<typeof makeWorld>>;
const nobody = '018f0000-0000-7000-8000-000000000000';

/** Of a request's first line and its headers together: see `maxHeaderSize`. */
const headBytes = 15_000;
/** Of a form of the app: see `bodyBytes`. */
const appFormBytes = 60_000;
/** As a connection brings them. */
const pieceBytes = 64 * 1024;

/** Texts that a caller may send many of: each is cheap to write, and tempts a parser to do much. */
const tempting = [',', 'a,', 'a;b', ' ', '"', '%2C', '@', 'a@b.c,', '\n', '(', '=?', '-,', '@ '];
/** Between two letters, a run of these tempts an expression to try each part of the run. */
const runs = [' ', '"', '<', '@', '-', ',', '.', '/', '='];
const fieldNames = [
  'to',
  'receiver',
  'text',
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
  'content-disposition',
];
const tusHeaders = { 'tus-resumable': '1.0.0', 'upload-length': '1' };

type SentRequest = Omit<Partial<InjectOptions>, 'url' | 'payload'> & {
  readonly url: string;
  readonly payload?: string | Buffer;
};
type SentBody = Omit<SentRequest, 'url'>;
/** Makes something when it is needed: most of what could be sent is large, and only the strict run sends all of it. */
type Make<Value> = () => Value;

interface Schema {
  readonly type?: string;
  readonly properties?: Record<string, Schema>;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly maxLength?: number;
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

const fillWith = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));

/** Long texts of up to so many bytes. */
const makeTexts = (bytes: number) => [
  ...tempting.map((text) => fillWith(text, bytes)),
  ...runs.map((run) => `x${fillWith(run, bytes - 2)}x`),
];

/** JSON bodies that are as large as the route accepts: many items, many fields, a long text. */
function* makeJson(body: Schema, bytes: number): Generator<Make<string>> {
  yield () => `{${Array.from({ length: bytes / 16 }, (_, index) => `"f${index}":""`).join()}}`;
  yield () => JSON.stringify({ name: '\\"'.repeat(bytes / 4) }).slice(0, bytes);
  for (const item of ['{}', '0', '""', '[[]]', '-1e5', '"\\u0000"']) {
    const list = `[${fillWith(`${item},`, bytes - 100)}0]`;
    yield () => list;
    for (const [name, { items }] of Object.entries(body.properties ?? {})) if (items) yield () => `{"${name}":${list}}`;
  }
  const listOf = (items: Schema, count: number) => Array.from({ length: count }, (_, index) => makeItem(items, index));
  if (body.items) {
    const itemBytes = JSON.stringify(makeItem(body.items, bytes)).length + 1;
    const { items, maxItems = bytes } = body;
    const fitting = Math.floor(bytes / itemBytes);
    yield () => JSON.stringify(listOf(items, fitting));
    yield () => JSON.stringify(listOf(items, Math.min(fitting, maxItems)));
  }
  for (const [name, property] of Object.entries(body.properties ?? {})) {
    const rest = makeItem({ ...body, type: 'object' }, 1) as object;
    const make = (value: unknown) => JSON.stringify({ ...rest, [name]: value });
    const { items, type } = property;
    if (type === 'string') {
      const length = Math.min(property.maxLength ?? bytes / 2, bytes / 2);
      for (const text of makeTexts(length)) yield () => make(text);
    }
    if (!items) continue;
    const itemBytes = JSON.stringify(makeItem(items, bytes)).length + 1;
    const length = Math.floor((bytes - 1000) / itemBytes);
    for (const count of new Set([Math.min(length, property.maxItems ?? length), length]))
      yield () => make(listOf(items, count));
  }
}

const boundary = 'x';
const part = (name: string, text: string, more = '') =>
  `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${text}\r\n`;
const multipart = (parts: string): SentBody => ({
  payload: `${parts}--${boundary}--\r\n`,
  headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
});

/** Files that are tables, as far as they look at all like one. */
function* makeTables(): Generator<Make<string>> {
  const bytes = 1_000_000;
  for (const text of ['a,', '\n', '"', '""', 'a@b.c\n', ';', '\r', '"a"\n', '\ufeff', '=1,']) {
    yield () => fillWith(text, bytes / Buffer.byteLength(text));
  }
  const row = (cells: number, index: number) =>
    [`c${index}@b.example`, ...Array.from({ length: cells - 1 }, (_, cell) => `${cell}`)].join();
  for (const cells of [2, 20, 200]) {
    yield () => {
      const rows = ['email,name,groups,phone,language', ...Array.from({ length: 9_999 }, (_, i) => row(cells, i))];
      return rows.join('\n').slice(0, bytes);
    };
  }
}

/** A table of as many contacts as an account may have beside those that it has. */
const contacts = [
  'email,name',
  ...Array.from({ length: limits.contactsPerAccount - 10 }, (_, index) => `c${index}@b.example,${'&'.repeat(60)}`),
].join('\n');

function* makeMultipart(csrf: string): Generator<Make<SentBody>> {
  const token = part('csrftoken', csrf);
  for (const text of makeTexts(500_000))
    for (const name of ['to', 'receiver', 'message']) yield () => multipart(token + part(name, text));
  yield () => multipart(token + part('x', '').repeat(190));
  yield () => multipart(token + fillWith(part('', ''), 500_000));
  yield () => multipart(token + part('x', '', fillWith('; a=b', 8_000)));
  for (const run of runs) yield () => multipart(fillWith(part('x', '', `${fillWith(run, 4_000)}!`), pieceBytes));
  yield () => multipart(token + fillWith('--x\r\n', 1_000_000));
  for (const makeTable of makeTables()) yield () => multipart(token + part('file', makeTable(), '; filename="a.csv"'));
  // Imported, as the form says which columns a person has seen the preview of.
  yield () =>
    multipart(
      token + part('shown', describeChoice({ mapping: { email: 0, name: 1 }, group: '' })) + part('text', contacts),
    );
  for (const name of ['file', 'files']) {
    yield () => {
      const files = Array.from({ length: limits.filesPerUpload }, (_, index) =>
        part(name, 'x', `; filename="${index}"`),
      );
      return multipart(token + part('do', 'upload') + files.join(''));
    };
    yield () => multipart(part('do', 'upload') + token + part(name, fillWith('x', 2_000_000), '; filename="a"'));
  }
}

function* makeBodies({ schema, bodyLimit, config, url }: RouteOptions, csrf: string): Generator<Make<SentBody>> {
  const body = (schema as { body?: Schema } | undefined)?.body ?? {};
  for (const make of makeJson(body, bodyLimit ?? limits.jsonBytes)) {
    yield () => ({ payload: make(), headers: { 'content-type': 'application/json', accept: 'application/json' } });
  }
  if (/upload|tus/.test(url)) {
    const makeBytes = () => Buffer.alloc(9_000_000, 'x');
    const headers = { ...tusHeaders, 'upload-length': '9000000', 'upload-offset': '0' };
    yield () => ({ payload: makeBytes(), headers: { ...headers, 'content-type': tusType } });
    const named = { 'content-type': 'text/plain', 'content-disposition': 'x; filename="a"' };
    yield () => ({ payload: makeBytes(), headers: named });
  }
  if (config?.surface === 'v1') return;
  yield* makeMultipart(csrf);
  const bytes = config?.surface === 'app' ? appFormBytes : pageFormBytes - 100;
  for (const text of makeTexts(bytes / fieldNames.length / 3)) {
    yield () => {
      const fields = new URLSearchParams({ csrftoken: csrf, gesture: 'pressed' });
      for (const name of fieldNames) fields.set(name, text);
      return form(fields.toString().slice(0, bytes));
    };
  }
  yield () => form(`csrftoken=${csrf}&gesture=pressed&${fillWith('a&', bytes - 100)}`);
  for (const name of ['to', 'email', 'upload'])
    yield () => form(`csrftoken=${csrf}&gesture=pressed&${fillWith(`${name}=a@b.c&`, bytes - 100)}`);
  if (config?.surface !== 'app') return;
  for (const name of ['text', 'receiver', 'groups']) {
    for (const text of makeTexts(bytes - 200)) {
      yield () => form(`csrftoken=${csrf}&${new URLSearchParams({ [name]: text })}`.slice(0, bytes));
      yield () => {
        const payload = JSON.stringify({ [name]: text.slice(0, bytes / 2) });
        return { payload, headers: { 'content-type': 'application/json', accept: 'application/json' } };
      };
    }
  }
}

function form(payload: string): SentBody {
  return { payload, headers: { 'content-type': 'application/x-www-form-urlencoded' } };
}

/** Of several, the one that carries a body. */
function findMethod({ method }: RouteOptions): string {
  const methods = [method].flat();
  return methods.find((one) => one === 'POST' || one === 'PATCH') ?? (methods[0] as string);
}

function* makeRequests(route: RouteOptions, { fill, browser }: World): Generator<Make<SentRequest>> {
  const method = findMethod(route);
  const url = fill(route.url);
  // First, as some of the others may end what the route is about.
  if (method !== 'GET' && method !== 'HEAD')
    for (const make of makeBodies(route, browser.csrf)) yield () => ({ url, ...make() });
  for (const text of tempting) {
    const long = encodeURIComponent(text);
    const repeated = fillWith(long, headBytes / 3);
    const each = repeated.slice(0, headBytes / fieldNames.length);
    yield () => ({ url: `${url}?${fieldNames.map((name) => `${name}=${each}`).join('&')}` });
    for (const name of ['q', 'ids', 'to', 'next']) yield () => ({ url: `${url}?${name}=${repeated}` });
    const value = fillWith(text.replace('\n', '\t'), headBytes);
    for (const name of headerNames) yield () => ({ url, headers: { [name]: value } });
    yield () => ({ url, headers: { ...tusHeaders, 'upload-metadata': value } });
  }
  yield () => ({ url: `${url}?${fillWith('a&', headBytes)}` });
  yield () => ({ url: `${url}?${fieldNames.map((name) => `${name}=a&`.repeat(100)).join('')}` });
  const pairs = Array.from({ length: headBytes / 8 }, (_, index) => `k${index} YQ==`).join();
  yield () => ({ url, headers: { ...tusHeaders, 'upload-metadata': pairs } });
}

/** Few, as what a response tells of what was sent earlier is the same each time. */
function* makePlainRequests(route: RouteOptions, { fill, browser }: World): Generator<SentRequest> {
  const url = fill(route.url);
  const method = findMethod(route);
  if (method === 'GET' || method === 'HEAD') {
    yield { url };
    return;
  }
  // The last one may end what the route is about.
  yield { url, ...multipart(part('csrftoken', browser.csrf) + part('file', 'x', '; filename="a"')) };
  yield { url, ...form(`csrftoken=${browser.csrf}&gesture=pressed`) };
  yield { url, payload: '{"message":""}', headers: { 'content-type': 'application/json' } };
}

async function send(route: RouteOptions, { account, usual, bearer }: World, request: SentRequest) {
  const { url, headers, payload } = request;
  const { surface } = route.config ?? {};
  const basic = { authorization: `Basic ${Buffer.from(`${account.email}:${account.apiKey}`).toString('base64')}` };
  const authorization = surface === 'v1' ? bearer : surface === 'api' ? basic : {};
  const streams = /events/.test(route.url);
  const bytes = Buffer.from(payload ?? '');
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) =>
    // A copy: the server frees what it has read.
    Buffer.from(bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes)),
  );
  const options = {
    method: findMethod(route),
    url,
    headers: { ...usual, ...authorization, ...headers },
    ...(payload === undefined ? {} : { payload: Readable.from(pieces) }),
    payloadAsStream: streams,
  };
  let [length, status] = [0, 0];
  const ms = await measureLongestTurn(async () => {
    // A body that the server reads no further is cut off, as a connection would be.
    const response = await app.inject(options).catch((error: Error) => {
      if (error.name !== 'AbortError') throw error;
    });
    if (!response) return;
    status = response.statusCode;
    if (streams) response.stream().destroy();
    else length = response.rawPayload.length;
  });
  return { ms, length, status };
}

/** Without those that end the session, or wait. */
const measured = routes.filter(
  (route) => findMethod(route) !== 'OPTIONS' && !/sign-out|doctor|wait|stream/.test(route.url),
);
/** Elsewhere, some requests of each route stand for all, and routes share what their paths name. */
const isSent = (place: number, index: number) => isStrict || (place * 7 + index) % 97 === 0;
const routesPerWorld = isStrict ? 1 : 20;
const shared = new Map<readonly string[], Promise<World>>();
function findWorld(place: number, paths: readonly string[]): Promise<World> {
  const known = place % routesPerWorld === 0 ? undefined : shared.get(paths);
  const world = known ?? makeWorld(paths);
  shared.set(paths, world);
  return world;
}

/** The requests of a route, each with the world that it is about. */
async function listRequests(route: RouteOptions, place: number): Promise<(readonly [World, Make<SentRequest>])[]> {
  const short = await findWorld(place, shortList);
  const chosen = [...makeRequests(route, short)].filter((_, index) => isSent(place, index));
  const listed = chosen.map((make) => [short, make] as const);
  // All but these are about an account and not about files.
  if (!/:(?:handle|token|id|drop|inbox|file)\b/.test(route.url)) return listed;
  const full = await findWorld(place, fullList);
  return [...listed, ...Array.from(makePlainRequests(route, full), (request) => [full, () => request] as const)];
}

test.each(measured.map((route, place) => [`${[route.method].flat().join()} ${route.url}`, place, route] as const))(
  '%s',
  async (name, place, route) => {
    let [worst, what, largest] = [0, '', 0];
    const statuses = new Set<number>();
    for (const [world, make] of await listRequests(route, place)) {
      const request = make();
      const body = String(request.payload ?? '');
      let best = Number.POSITIVE_INFINITY;
      for (let round = 0; round < rounds && best > boundMs / 2; round += 1) {
        const { ms, length, status } = await send(route, world, request);
        best = Math.min(best, ms);
        largest = Math.max(largest, length);
        statuses.add(status);
      }
      if (best <= worst) continue;
      worst = best;
      what = `${request.url} ${JSON.stringify(request.headers ?? {})} ${body.length} ${body.slice(0, 200)}`;
    }
    if (isStrict) {
      const seen = [...statuses].toSorted((one, other) => one - other).join();
      process.stdout.write(
        `${worst.toFixed(0).padStart(5)} ms ${String(largest).padStart(9)} bytes  ${name}  ${seen}\n`,
      );
    }
    expect(worst, what.slice(0, 600)).toBeLessThan(boundMs);
    // Not drawn from what was sent: at most the fields of a form, which a page shows again, each character as an entity.
    expect(largest).toBeLessThan(8 * limits.jsonBytes);
  },
  isStrict ? 600_000 : 60_000,
);
