import { gunzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testPages } from '../../../test/pages.ts';
import { silentLog } from '../../../test/silent-log.ts';
import { openapiDocument } from '../../api/machine/openapi.ts';
import { routes as machineRoutes } from '../../api/machine/routes.ts';
import { v1Document } from '../../api/v1/openapi/openapi.ts';
import { routes as v1Routes } from '../../api/v1/routes.ts';
import { buildServer, type ServerEngines } from '../../services/build-server.ts';
import { describeMachineApi, describeV1 } from './apis.ts';
import { type Document, getReferredName, type Schema } from './document.ts';
import { createSample } from './sample.ts';

const host = 'files.example.org';
const publicUrl = `https://${host}`;
/** A page that anyone can request is small enough to be sent in a few packets. */
const maxGzipBytes = 15_000;

const app = buildServer({ policy: { maxFileBytes: 1, publicUrl } } as ServerEngines, {
  log: silentLog,
  makeRequestId: () => 'test-1',
  publicUrl,
  allowedHosts: [],
  trustedProxies: [],
  paceLimits: { minBodyBytesPerSecond: 1024 },
  pages: testPages,
});
afterAll(() => app.close());

const read = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers: { host, ...headers } });

/** Every page of the reference that links lead to, beginning with the first one. */
const pages = new Map<string, string>();
beforeAll(async () => {
  const waiting = ['/docs'];
  for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
    if (pages.has(url)) continue;
    const { statusCode, body } = await read(url);
    expect([url, statusCode]).toEqual([url, 200]);
    pages.set(url, body);
    waiting.push(
      ...listLinks(body).flatMap((link) => (link.startsWith('/docs') ? [link.split('#', 1)[0] as string] : [])),
    );
  }
});

/** As clients receive them. */
const documents = [v1Document(v1Routes), openapiDocument(machineRoutes)].map(
  (document) => JSON.parse(JSON.stringify(document)) as Document,
);

describe('the reference', () => {
  test('has one page for each operation of both OpenAPI documents, in the navigation of every page', () => {
    const described = documents.flatMap(({ paths }) =>
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).flatMap((method) => (method === 'parameters' ? [] : [`${method.toUpperCase()} ${path}`])),
      ),
    );
    const shown = [...pages].flatMap(([url, body]) => {
      const [, method, path] = /class="reference-method">(\w+)<\/span> <code>([^<]+)</.exec(body) ?? [];
      return method === undefined ? [] : [{ url, operation: `${method} ${path}` }];
    });
    expect(described.length).toBeGreaterThan(60);
    expect(shown.map(({ operation }) => operation).toSorted()).toEqual(described.toSorted());
    for (const [url, body] of pages) {
      const links = listLinks(toNavigation(body));
      expect(new Set(links).size, url).toBe(links.length);
      for (const operation of shown) expect(links, url).toContain(operation.url);
    }
  });

  test('has a page for each named schema', () => {
    const names = Object.keys(documents[0]?.components['schemas'] ?? {});
    const titles = [...pages].flatMap(([url, body]) => (url.startsWith('/docs/schemas/') ? [toTitle(body)] : []));
    expect(titles.toSorted()).toEqual(names.toSorted());
  });

  test('marks the current page in its navigation, or the page that leads to it', () => {
    for (const [url, body] of pages) {
      const [, current] = /<a href="([^"]+)" aria-current="page"/.exec(toNavigation(body)) ?? [];
      expect([url, current]).toEqual([url, url.startsWith('/docs/schemas/') ? '/docs/schemas' : url]);
    }
  });

  test('has no link to a page or place that does not exist', async () => {
    const others = new Set<string>();
    for (const [url, body] of pages) {
      const ids = [...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      expect(new Set(ids).size, url).toBe(ids.length);
      for (const link of listLinks(body)) {
        const [path = '', id] = link.split('#');
        const target = path === '' ? body : pages.get(path);
        if (target === undefined) others.add(link);
        else if (id !== undefined) expect(target, `${url} links to ${link}`).toContain(` id="${id}"`);
      }
    }
    for (const link of others) {
      if (!link.startsWith('/'))
        expect(link).toMatch(
          /^https:\/\/(?:html\.spec\.whatwg\.org|tus\.io|www\.standardwebhooks\.com|datatracker\.ietf\.org)\//,
        );
      else if (!link.startsWith('/assets/')) expect([link, (await read(link)).statusCode]).not.toEqual([link, 404]);
    }
    expect([...others]).toEqual(expect.arrayContaining(['/api/v1/openapi.json', '/openapi.json']));
  });

  test('explains every error code that an operation can have', () => {
    const codes = [...describeV1(publicUrl).operations, ...describeMachineApi(publicUrl).operations].flatMap(
      ({ errors }) => errors,
    );
    for (const code of new Set(codes)) expect(pages.get('/docs/problems')).toContain(` id="${code}"`);
  });

  test('shows no marks of its texts, and no inline style or script', () => {
    for (const [url, body] of pages) {
      const text = body.replace(/<pre.*?<\/pre>/gs, '').replace(/<[^>]+>/g, ' ');
      expect(text, url).not.toMatch(/`|\*\*|\]\(|undefined|\[object/);
      const tags = body.match(/<[a-z][^>]*>/g)?.join('\n');
      expect(tags, url).not.toMatch(/\sstyle=|<style|\son[a-z]+=|<script(?! type="module" src=)/);
    }
  });

  test('has headings in order', () => {
    for (const [url, body] of pages) {
      const levels = [...body.matchAll(/<h([1-6])[ >]/g)].map(([, level]) => Number(level));
      expect([url, levels.filter((level) => level === 1)]).toEqual([url, [1]]);
      levels.reduce((before, level) => {
        expect(level - before, `${url}: h${before}, h${level}`).toBeLessThanOrEqual(1);
        return level;
      }, 0);
    }
  });

  test('is small, and the same for everybody', async () => {
    for (const url of pages.keys()) {
      const { rawPayload, headers } = await read(url, { 'accept-encoding': 'gzip' });
      expect(headers['content-encoding']).toBe('gzip');
      expect(rawPayload.length, url).toBeLessThan(maxGzipBytes);
      expect(gunzipSync(rawPayload).toString()).toBe(pages.get(url));
    }
  });

  test('has no other pages', async () => {
    for (const url of ['/docs/', '/docs/nothing', '/docs/drops/nothing', '/docs/drops/create-drop/']) {
      expect([url, (await read(url)).statusCode]).toEqual([url, 404]);
    }
  });

  test('has the texts of the documents', () => {
    expect(pages.get('/docs/idempotency')).toContain('The first request with this key');
    expect(pages.get('/docs/webhooks')).toContain('Check the signature and the timestamp');
    expect(pages.get('/docs/machine-api/common-rules')).toContain('least recently used');
    expect(pages.get('/docs/machine-api/create-drop')).toContain('Turns the draft into a drop');
  });
});

describe('an example', () => {
  const ajv = new Ajv2020({ strict: false, formats: { uuid: true, uri: true, 'date-time': true, binary: true } });

  test('of a request is a valid body', () => {
    for (const { id, body, example } of [...v1Routes, ...machineRoutes]) {
      expect([id, example === undefined]).toEqual([id, body === undefined]);
      if (body) expect(ajv.validate(body, example), JSON.stringify(example)).toBe(true);
    }
  });

  test('of a request sends the method of its operation', () => {
    for (const { operationId, route, command } of [
      ...describeV1(publicUrl).operations,
      ...describeMachineApi(publicUrl).operations,
    ]) {
      const usual = / -(?:d|F|-data-binary) /.test(command) ? 'POST' : / -I /.test(command) ? 'HEAD' : 'GET';
      expect([operationId, /-X (\w+)/.exec(command)?.[1] ?? usual]).toEqual([operationId, route.method]);
    }
  });

  test('of a response is valid', () => {
    for (const { document, operations } of [describeV1(publicUrl), describeMachineApi(publicUrl)]) {
      for (const { operationId, route, responses } of operations) {
        for (const [status, { content = {} }] of Object.entries(responses)) {
          const schema = content['application/json']?.schema;
          if (Number(status) >= 400 || !schema) continue;
          const isMain = Number(status) === route.response.status;
          const sample = (isMain ? route.response.example : undefined) ?? createSample(document, schema);
          const isValid = ajv.validate({ ...schema, components: document.components }, sample);
          expect(isValid, `${operationId}: ${JSON.stringify([ajv.errors, sample])}`).toBe(true);
        }
      }
    }
  });

  test('of every schema is valid', () => {
    const { document } = describeV1(publicUrl);
    for (const name of Object.keys(document.components['schemas'] ?? {})) {
      const schema: Schema = { $ref: `#/components/schemas/${name}` };
      expect(getReferredName(schema)).toBe(name);
      const sample = createSample(document, schema);
      const isValid = ajv.validate({ ...schema, components: document.components }, sample);
      expect(isValid, `${name}: ${JSON.stringify([ajv.errors, sample])}`).toBe(true);
    }
  });
});

function toNavigation(body: string): string {
  return /<nav class="reference-navigation".*?<\/nav>/s.exec(body)?.[0] ?? '';
}

function toTitle(body: string): string {
  return /<h1>([^<]+)</.exec(body)?.[1] ?? '';
}

function listLinks(body: string): string[] {
  return [...body.matchAll(/ href="([^"]+)"/g)].map(([, href = '']) => href);
}
