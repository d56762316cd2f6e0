// No text that a caller sends to the machine API, wherever it is, may be a fault of ours.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  createHostileJson,
  hostileEscapes,
  hostileHeaders,
  hostileTexts,
  isPaired,
} from '../../../test/hostile-input.ts';
import { testHost } from '../../../test/server.ts';
import { useTestServer } from '../../../test/use-test-server.ts';
import { replaceContacts } from '../../domain/contacts/replace-contacts.ts';
import { openapiDocument } from './openapi.ts';
import { routes } from './routes.ts';

const { exchange, app } = await useTestServer({ csrfTokens: { mint: async () => '', accept: async () => true } });
const owner = await exchange.account('anna@example.org');

const credentials = {
  authorization: `Basic ${Buffer.from(`${owner.email}:${owner.apiKey}`).toString('base64')}`,
  'csrf-token': 'x'.repeat(43),
};

interface Asked {
  readonly headers?: Record<string, string>;
  readonly payload?: string | Buffer;
}

async function requestStatus(method: string, path: string, { headers, payload }: Asked = {}): Promise<number> {
  const { statusCode } = await app.inject({
    method: method as 'GET',
    url: path,
    headers: { host: testHost, ...credentials, ...headers },
    ...(payload === undefined ? {} : { payload }),
  });
  return statusCode;
}

const isFine = async (what: unknown, status: Promise<number>) =>
  expect(await status, JSON.stringify(what)?.slice(0, 300)).toBeLessThan(500);

interface Described {
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Record<string, unknown> };
}
const operations = Object.entries(openapiDocument(routes).paths).flatMap(([path, { parameters: _, ...methods }]) =>
  Object.entries(methods).map(([method, described]) => ({
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    ...(described as Described),
  })),
);

const contact = {
  email: 'anna@example.org',
  number: '46701234567',
  language: 'sv',
  groups: ['friends'],
  nick: 'Anna',
  name: 'Anna A',
};
const examples: Readonly<Record<string, unknown>> = {
  'POST /{user}/cgi/contacts_add.cgi': [contact],
  'POST /{user}/cgi/receivers_set.cgi': [contact],
  'POST /{user}/cgi/createdrop.cgi': { desttime: 3, ddmessage: 'Hello' },
  'POST /{user}/cgi/givedrop.cgi': { desttime: 3, ddmessage: 'Hello' },
};
const withJson = operations.filter(({ requestBody }) => requestBody?.content['application/json']);
const plainPath = (path: string) => path.replace('{user}', owner.email).replace(/\{\w+\}/g, randomUUID());

test('there is an example of every body in JSON', () => {
  expect(withJson.map(({ name }) => name).toSorted()).toEqual(Object.keys(examples).toSorted());
});

const example = (name: string): Asked =>
  examples[name] === undefined
    ? {}
    : { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(examples[name]) };

describe.each(operations.map((operation) => [operation.name, operation] as const))('%s', (name, operation) => {
  const { method, path, parameters } = operation;
  const body = example(name);

  test('never fails because of its path or query', async () => {
    const inQuery = parameters.filter((one) => one.in === 'query').map((one) => one.name);
    for (const [index, text] of hostileEscapes.entries()) {
      const paths = [path, path.replace('{user}', owner.email)].map((one) => one.replace(/\{\w+\}/g, text));
      const queries = [...inQuery, text].map((key) => `${plainPath(path)}?${key}=${text}`);
      const urls = [...paths, ...queries].filter((_, place) => isPaired(place, index));
      for (const url of urls) await isFine(url, requestStatus(method, url, body));
    }
  });

  test('never fails because of its headers', async () => {
    const own = parameters.filter((one) => one.in === 'header').map((one) => one.name);
    const all = [...own, 'Authorization', 'CSRF-Token', 'Content-Type', 'Range', 'If-Range', 'Prefer'];
    for (const [place, header] of all.entries()) {
      for (const text of hostileHeaders.filter((_, index) => isPaired(place, index))) {
        const headers = { ...body.headers, [header.toLowerCase()]: text };
        await isFine([header, text], requestStatus(method, plainPath(path), { ...body, headers }));
      }
    }
    for (const [index, text] of hostileTexts.entries()) {
      const credentialTexts = [`${text}:key`, `${owner.email}:${text}`, text];
      for (const credential of credentialTexts.filter((_, place) => isPaired(place, index))) {
        const headers = { ...body.headers, authorization: `Basic ${Buffer.from(credential).toString('base64')}` };
        await isFine(credential, requestStatus(method, plainPath(path), { ...body, headers }));
      }
    }
  });
});

test.each(Object.entries(examples))('%s never fails because of its JSON', async (name, body) => {
  const [method = '', path = ''] = name.split(' ');
  const headers = { 'content-type': 'application/json' };
  const bodies = [
    ...createHostileJson(body),
    ...hostileTexts.map((text) => JSON.stringify(text)),
    '[[[[',
    '\ufeff[]',
    Buffer.from('["\xff\xfe"]', 'latin1'),
  ];
  for (const payload of bodies) {
    // Everything but this body is as it has to be.
    await replaceContacts(exchange.engines, owner, { contacts: [{ email: contact.email }], lenient: true });
    await exchange.prepare(owner, [contact.email], ['a.txt']);
    await isFine(payload, requestStatus(method, plainPath(path), { headers, payload }));
  }
});

test('a text that cannot be stored is invalid input', async () => {
  for (const text of ['a\0', '\udc00']) {
    await exchange.prepare(owner, [contact.email], ['a.txt']);
    for (const [path, payload] of [
      ['contacts_add.cgi', [{ ...contact, nick: text }]],
      ['receivers_set.cgi', [{ ...contact, name: text }]],
      ['createdrop.cgi', { ddmessage: text }],
      ['givedrop.cgi', { ddmessage: text }],
    ] as const) {
      const headers = { host: testHost, ...credentials };
      const response = await app.inject({ method: 'POST', url: `/${owner.email}/cgi/${path}`, headers, payload });
      expect([response.statusCode, response.json()]).toEqual([
        400,
        {
          status: 'error',
          code: 'invalid_input',
          message: 'A text contains a NUL or half of a surrogate pair. Remove it.',
        },
      ]);
    }
  }
});

test('an upload never fails because of its form', async () => {
  const headers = { 'content-type': 'multipart/form-data; boundary=xyz' };
  const url = `/${owner.email}/cgi/upload.cgi`;
  const send = (...parts: string[]) => {
    const payload = [...parts.map((part) => `--xyz\r\n${part}\r\n`), '--xyz--\r\n'].join('');
    return requestStatus('POST', url, { headers, payload: Buffer.from(payload) });
  };
  const disposition = 'Content-Disposition: form-data; ';
  const asked = `${disposition}name="do"\r\n\r\nupload`;
  expect(await send(asked, `${disposition}name="file"; filename="a"\r\n\r\nx`)).toBe(200);
  for (const text of hostileTexts) {
    const escaped = encodeURIComponent(text.toWellFormed());
    await isFine(text, send(asked, `${disposition}name="file"; filename="${text}"\r\n\r\nx`));
    await isFine(text, send(asked, `${disposition}name="file"; filename*=UTF-8''${escaped}\r\n\r\nx`));
    await isFine(text, send(asked, `${disposition}name="file"; filename="a"\r\nContent-Type: ${text}\r\n\r\nx`));
    await isFine(text, send(asked, `${disposition}name="file"; filename="a"\r\nWaybill-Path: ${escaped}\r\n\r\nx`));
    await isFine(text, send(asked, `${disposition}name="file"; filename="a"\r\n${text}: ${text}\r\n\r\nx`));
    await isFine(text, send(`${disposition}name="do"\r\n\r\n${text}`));
    await isFine(text, send(asked, `${disposition}name="${text}"\r\n\r\nx`));
    await isFine(text, requestStatus('POST', url, { headers, payload: text }));
  }
});
