// Requests that two parsers could read differently, that are too large, or that no legitimate client would send.
import { beforeAll, describe, expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import { type AttackRow, attackTable, type Victim } from '../lib/attack-table.ts';
import type { Client } from '../lib/http/client.ts';
import { assertErrorResponse } from '../lib/http/expect.ts';
import { exchange, sendRaw } from '../lib/http/raw.ts';
import { type HttpResponse, header } from '../lib/http/response.ts';
import { demo } from '../lib/servers/running-demo.ts';

const host = () => new URL(demo().base_url).host;
const clear = '[]';

/** The header lines of a valid request; each row replaces or adds some of them. */
function lines({ client, token }: Victim, changes: { without?: string; add?: string[] } = {}): string[] {
  const good = [
    `Host: ${host()}`,
    `Authorization: ${client.authorization}`,
    `CSRF-Token: ${token}`,
    'Connection: close',
  ].filter((line) => changes.without === undefined || !line.startsWith(`${changes.without}:`));
  return [...good, ...(changes.add ?? [])];
}

const head = (requestLine: string, headerLines: string[]) => [requestLine, ...headerLines, '', ''].join('\r\n');
const read = ({ client }: Victim) => `GET /${client.user}/cgi/contacts_read.cgi HTTP/1.1`;
/** Would remove all contacts if it were accepted. */
const wipe = ({ client }: Victim) => `POST /${client.user}/cgi/contacts_add.cgi HTTP/1.1`;
const json = 'Content-Type: application/json';

function raw(name: string, bytes: (victim: Victim) => string, status = 400, code = 'malformed_request'): AttackRow {
  return { name, status, code, send: (victim) => sendRaw(demo().base_url, bytes(victim)) };
}

attackTable('framing', [
  raw(
    'a Content-Length together with Transfer-Encoding',
    (v) =>
      head(wipe(v), lines(v, { add: [json, 'Content-Length: 2', 'Transfer-Encoding: chunked'] })) +
      '2\r\n[]\r\n0\r\n\r\n',
  ),
  raw(
    'two equal Content-Lengths',
    (v) => head(wipe(v), lines(v, { add: [json, 'Content-Length: 2', 'Content-Length: 2'] })) + clear,
  ),
  raw(
    'two different Content-Lengths',
    (v) => head(wipe(v), lines(v, { add: [json, 'Content-Length: 2', 'Content-Length: 20'] })) + clear,
  ),
  raw(
    'a Content-Length that is no number',
    (v) => head(wipe(v), lines(v, { add: [json, 'Content-Length: 2x'] })) + clear,
  ),
  raw('a signed Content-Length', (v) => head(wipe(v), lines(v, { add: [json, 'Content-Length: +2'] })) + clear),
  raw(
    'a Transfer-Encoding that is not chunked at last',
    (v) => head(wipe(v), lines(v, { add: [json, 'Transfer-Encoding: chunked, identity'] })) + '2\r\n[]\r\n0\r\n\r\n',
  ),
  raw(
    'a chunk size that is no number',
    (v) => head(wipe(v), lines(v, { add: [json, 'Transfer-Encoding: chunked'] })) + 'zz\r\n[]\r\n0\r\n\r\n',
  ),
  raw('a header that continues on the next line', (v) => head(read(v), lines(v, { add: ['X-Folded: one', ' two'] }))),
  raw('a header line that ends in a bare line feed', (v) =>
    head(read(v), lines(v, { add: ['X-Bare: one\nX-Two: two'] })),
  ),
  raw('lines that all end in a bare line feed', (v) => head(read(v), lines(v)).replaceAll('\r\n', '\n')),
  raw('a space before the colon', (v) => head(read(v), lines(v, { add: ['X-Space : one'] }))),
  raw('a header without a colon', (v) => head(read(v), lines(v, { add: ['nonsense'] }))),
  raw('a NUL in a header', (v) => head(read(v), lines(v, { add: ['X-Nul: a\0b'] }))),
  raw('a request line of nonsense', () => 'nonsense\r\n\r\n'),
  raw('a space in the target', (v) => head(read(v).replace('.cgi', '.cgi ?x'), lines(v))),
  raw('no Host at all', (v) => head(read(v), lines(v, { without: 'Host' }))),
]);

attackTable('headers that appear twice', [
  raw('Host', (v) => head(read(v), lines(v, { add: [`Host: ${host()}`] }))),
  raw('Authorization', (v) => head(read(v), lines(v, { add: [`Authorization: ${v.client.authorization}`] }))),
  raw('Authorization of two accounts', (v) =>
    head(read(v), lines(v, { add: [`Authorization: ${v.sender.authorization}`] })),
  ),
  raw('CSRF-Token', (v) => head(read(v), lines(v, { add: [`CSRF-Token: ${v.token}`] }))),
  raw('CSRF-Token, the second one empty', (v) => head(read(v), lines(v, { add: ['csrf-token:'] }))),
  raw('Content-Type', (v) => head(wipe(v), lines(v, { add: [json, json, 'Content-Length: 2'] })) + clear),
]);

attackTable('targets, hosts and bodies', [
  raw('an absolute-form target', (v) => head(read(v).replace('GET /', `GET http://${host()}/`), lines(v))),
  raw('an absolute-form target of another host', (v) =>
    head(read(v).replace('GET /', 'GET http://evil.example/'), lines(v)),
  ),
  raw('a GET with a body', (v) => head(read(v), lines(v, { add: ['Content-Length: 2'] })) + clear),
  raw(
    'a GET with a chunked body',
    (v) => head(read(v), lines(v, { add: ['Transfer-Encoding: chunked'] })) + '2\r\n[]\r\n0\r\n\r\n',
  ),
  raw(
    'an unknown Host',
    (v) => head(read(v), lines(v, { without: 'Host', add: ['Host: evil.example'] })),
    421,
    'wrong_host',
  ),
  ...['gzip', 'identity', 'br, gzip'].map((encoding) =>
    raw(
      `a body in Content-Encoding ${encoding}`,
      (v) => head(wipe(v), lines(v, { add: [json, `Content-Encoding: ${encoding}`, 'Content-Length: 2'] })) + clear,
      415,
      'unsupported_media_type',
    ),
  ),
]);

attackTable('sizes', [
  raw(
    'more than 100 headers',
    (v) => head(read(v), lines(v, { add: Array.from({ length: 100 }, (_, i) => `X-H${i}: ${i}`) })),
    431,
    'headers_too_large',
  ),
  raw(
    'one header of more than 16 KiB',
    (v) => head(read(v), lines(v, { add: [`X-Long: ${'x'.repeat(17 * 1024)}`] })),
    431,
    'headers_too_large',
  ),
  raw(
    'headers of more than 16 KiB together',
    (v) => head(read(v), lines(v, { add: Array.from({ length: 20 }, (_, i) => `X-H${i}: ${'x'.repeat(1024)}`) })),
    431,
    'headers_too_large',
  ),
  raw(
    'a target of more than 16 KiB',
    (v) => head(read(v).replace('.cgi', `.cgi?${'x'.repeat(17 * 1024)}`), lines(v)),
    431,
    'headers_too_large',
  ),
]);

attackTable(
  'methods nobody takes',
  ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'].map((method) => ({
    name: method,
    status: 405,
    code: 'method_not_allowed',
    send: ({ client }) => client.call(method, 'cgi/contacts_read.cgi'),
  })),
);

describe('requests that the server does not serve', () => {
  let client: Client;
  let victim: Pick<Victim, 'client' | 'token'>;

  beforeAll(async () => {
    client = await freshClient('http');
    victim = { client, token: await client.token() };
  });

  const send = (requestLine: string, add: string[], without?: string): Promise<HttpResponse> =>
    sendRaw(demo().base_url, head(requestLine, lines(victim as Victim, { add, ...(without ? { without } : {}) })));

  test('CONNECT opens no tunnel', async () => {
    const received = await exchange(
      demo().base_url,
      head('CONNECT evil.example:80 HTTP/1.1', [`Host: ${host()}`, 'Connection: close']),
    );
    expect(received.toString('latin1')).not.toMatch(/^HTTP\/1\.1 2/);
    expect((await client.contacts()).status).toBe(200);
  });

  test('an Upgrade is not followed', async () => {
    const upgrade = [
      'Connection: Upgrade, close',
      'Upgrade: websocket',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version: 13',
    ];
    const response = await send(read(victim as Victim), upgrade, 'Connection');
    expect(response.status).not.toBe(101);
    expect((await client.contacts()).status).toBe(200);
  });

  test('forwarded headers of unknown senders are ignored', async () => {
    const response = await client.contacts({
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-For': '203.0.113.9',
      Forwarded: 'host=evil.example',
    });
    expect(response.status).toBe(200);
    expect(JSON.stringify(response.headerLines)).not.toContain('evil.example');
  });

  test('a second request behind a smuggled length gets no response', async () => {
    const smuggled = head(`GET /${client.user}/cgi/contacts_read.cgi HTTP/1.1`, lines(victim as Victim));
    const outer = head(
      wipe(victim as Victim),
      lines(victim as Victim, {
        without: 'Connection',
        add: [json, 'Content-Length: 2', 'Transfer-Encoding: chunked'],
      }),
    );
    const response = await sendRaw(demo().base_url, `${outer}0\r\n\r\n${smuggled}`);
    assertErrorResponse(response, 400, 'malformed_request');
    expect(response.rest.toString('latin1')).toBe('');
  });

  test('another site may not read anything: there is no CORS', async () => {
    const [response, preflight] = [
      await client.contacts({ Origin: 'https://evil.example' }),
      await client.call('OPTIONS', 'cgi/contacts_read.cgi', {
        headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'GET' },
      }),
    ];
    for (const { headerLines } of [response, preflight]) {
      expect(headerLines.filter(([name]) => name.toLowerCase().startsWith('access-control-'))).toEqual([]);
    }
    assertErrorResponse(preflight, 405, 'method_not_allowed');
    expect(header(preflight, 'Allow')).toBe('GET');
  });
});
