import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testPolicy, useTestExchange } from '../../../test/exchange.ts';
import { buildTestServer } from '../../../test/server.ts';
import { transports } from '../../../test/transports.ts';

const token = randomBytes(32).toString('base64url');
const exchange = await useTestExchange();
const { email: user, apiKey } = await exchange.account();
const authorization = `Basic ${Buffer.from(`${user}:${apiKey}`).toString('base64')}`;

describe.each(transports)('over $name', ({ certificate, connect }) => {
  const app = buildTestServer(
    exchange,
    { csrfTokens: { mint: async () => token, accept: async (_account, given) => given === token } },
    { certificate },
  );
  beforeAll(() => app.listen({ port: 0, host: '127.0.0.1' }));
  afterAll(() => app.close());

  const boundary = 'b';
  const form = [
    `--${boundary}\r\nContent-Disposition: form-data; name="do"\r\n\r\nupload\r\n`,
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nbytes\r\n--${boundary}--\r\n`,
  ].join('');

  interface Exchange {
    /** The response before any of the body was sent. */
    first: string;
    /** The response after the body, if the server asked for it. */
    after: string;
  }

  /** Sends the head with `Expect: 100-continue`, and the body only if the server asks for it. */
  async function send(target: string, headers: Record<string, string>, body = form): Promise<Exchange> {
    const { port } = app.server.address() as AddressInfo;
    const socket = connect(port);
    const lines = Object.entries({
      Host: 'files.example.org',
      Authorization: authorization,
      'CSRF-Token': token,
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Content-Length': String(Buffer.byteLength(body)),
      Expect: '100-continue',
      ...headers,
    }).map((line) => line.join(': '));
    socket.write(`POST ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    const first = bytes.toString();
    if (first === 'HTTP/1.1 100 Continue\r\n\r\n') socket.write(body);
    else if (!/\r\nconnection: close\r\n/i.test(first)) throw new Error(`the connection stays open: ${first}`);
    // The response to an upload is chunked; the server keeps the connection open after it.
    socket.on('data', (chunk: Buffer) => chunk.toString().endsWith('0\r\n\r\n') && socket.end());
    return { first, after: await text(socket) };
  }
  const upload = () => `/${user}/cgi/upload.cgi`;

  test('asks for an acceptable body, and accepts it', async () => {
    const { first, after } = await send(upload(), {});
    expect(first).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    expect(after).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*"status":"done"/);
    expect(after).toMatch(/\r\nconnection: keep-alive\r\n/i);
  });

  test.each([
    ['without credentials', { Authorization: 'Basic eDp5' }, 401, 'unauthorized'],
    ['without a valid token', { 'CSRF-Token': 'x'.repeat(43) }, 403, 'csrf_rejected'],
    ['of another host', { Host: 'evil.example.org' }, 421, 'wrong_host'],
    ['that is no form', { 'Content-Type': 'text/plain' }, 415, 'unsupported_media_type'],
    [
      'larger than all files of a form together',
      { 'Content-Length': String(101 * (testPolicy.maxFileBytes + 16_384)) },
      413,
      'too_large',
    ],
  ])('refuses a body %s without asking for it', async (_what, headers, status, code) => {
    const { first } = await send(upload(), headers);
    expect(first).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*"code":"${code}"`));
  });

  test('does not ask for a body for a path that does not exist, or for JSON that is too long', async () => {
    expect((await send('/nowhere', {})).first).toMatch(/^HTTP\/1\.1 404 /);
    const json = { 'Content-Type': 'application/json', 'Content-Length': '100000000' };
    expect((await send(`/${user}/cgi/createdrop.cgi`, json)).first).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('refuses another expectation', async () => {
    expect((await send(upload(), { Expect: 'miracles' })).first).toMatch(/^HTTP\/1\.1 400 [\s\S]*malformed_request/);
  });

  test('refuses a length that is too large, even without an expectation', async () => {
    const response = await app.inject({
      method: 'POST',
      url: upload(),
      headers: {
        host: 'files.example.org',
        authorization,
        'csrf-token': token,
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'content-length': String(101 * (testPolicy.maxFileBytes + 16_384)),
      },
    });
    expect(response.statusCode).toBe(413);
  });
});
