import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { describe, expect, test, vi } from 'vitest';
import { closedPort, startPeer } from '../../../../tools/shared/tcp.ts';
import { startReceiver } from '../../../test/servers/webhook-receiver.ts';
import { makeCertificate } from '../../../test/transports.ts';
import { type WebhookSenderOptions, webhookSender } from './webhook-sender.ts';

const headers = { 'content-type': 'application/json' };
const loopback = { allowed: ['127.0.0.1/32'], allowHttp: true };

/** A sender whose connections are never made, only counted: the test must not reach what it asks for. */
function unconnected(options: Partial<WebhookSenderOptions> = {}) {
  const open = vi.fn<buildConnector.connector>((_options, callback) => callback(new Error('not in a test'), null));
  return { open, sender: webhookSender({ allowed: [], allowHttp: true, open, ...options }) };
}

describe('a request', () => {
  test('carries the method, the path, the headers and the body', async () => {
    await using peer = await startReceiver();
    const outcome = await webhookSender(loopback).post(peer.url, { ...headers, 'webhook-id': 'x' }, '{"a":"ä"}');
    expect(outcome).toEqual({ status: 204, retryAfterSeconds: undefined });
    expect(peer.requests).toMatchObject([
      {
        method: 'POST',
        url: '/hook?a=b',
        headers: { host: `127.0.0.1:${peer.port}`, 'content-type': 'application/json', 'webhook-id': 'x' },
        body: '{"a":"ä"}',
      },
    ]);
  });

  test('follows no redirect, and reports when to come again', async () => {
    await using peer = await startReceiver((response) => {
      response.writeHead(302, { location: '/elsewhere', 'retry-after': '120' }).end();
    });
    expect(await webhookSender(loopback).post(peer.url, headers, '{}')).toEqual({
      status: 302,
      retryAfterSeconds: 120,
    });
    expect(peer.requests).toHaveLength(1);
  });

  test('reads no more of a response than it may, and does not wait for its end', async () => {
    let sent = 0;
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    await using peer = await startReceiver((response) => {
      response.on('close', close);
      const piece = Buffer.alloc(64 * 1024);
      const write = () => {
        while (sent < 30 * 1024 ** 2 && !response.destroyed) {
          sent += piece.length;
          if (!response.write(piece)) return;
        }
      };
      response.on('drain', write);
      write();
    });
    expect(await webhookSender(loopback).post(peer.url, headers, '{}')).toMatchObject({ status: 200 });
    await closed;
    // The kernel's buffers on both sides are filled before we can refuse more.
    expect(sent).toBeLessThan(15 * 1024 ** 2);
  });

  test.each([
    ['hangs before it responds', () => undefined, { failure: 'timeout' }],
    ['sends its head a byte at a time', trickle, { failure: 'timeout' }],
  ])('ends after its time when the receiver %s', async (_what, treat, expected) => {
    await using peer = await startPeer(treat);
    const sender = webhookSender({ ...loopback, timeoutMs: 200 });
    expect(await sender.post(`http://127.0.0.1:${peer.port}/`, headers, '{}')).toEqual(expected);
  });

  test('counts as a response when only the end of the response is missing', async () => {
    await using peer = await startReceiver((response) => {
      response.writeHead(200, { 'content-length': '10' }).write('x');
    });
    const sender = webhookSender({ ...loopback, timeoutMs: 2_000 });
    expect(await sender.post(peer.url, headers, '{}')).toMatchObject({ status: 200 });
  });

  test('fails when nobody listens, or when the response is none', async () => {
    const sender = webhookSender(loopback);
    const nobody = `http://127.0.0.1:${await closedPort()}/`;
    expect(await sender.post(nobody, headers, '{}')).toEqual({ failure: 'no_connection' });
    await using peer = await startPeer((socket) => socket.end('nonsense\r\n\r\n'));
    expect(await sender.post(`http://127.0.0.1:${peer.port}/`, headers, '{}')).toEqual({ failure: 'broken_response' });
    await using plain = await startReceiver((response) => response.end());
    const tls = await sender.post(`https://127.0.0.1:${plain.port}/`, headers, '{}');
    expect(tls).toEqual({ failure: 'tls_failed' });
  });

  test('goes through no proxy', async () => {
    vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${await closedPort()}`);
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    await using peer = await startReceiver((response) => response.end());
    expect(await webhookSender(loopback).post(peer.url, headers, '{}')).toMatchObject({ status: 200 });
    vi.unstubAllEnvs();
  });
});

describe('no connection is made', () => {
  test.each([
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:169.254.169.254]/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://017700000001/',
    'http://10.0.0.1:8080/',
    'http://[64:ff9b::7f00:1]/',
    'http://0/',
  ])('to %s, which is an address inside', async (url) => {
    const { sender, open } = unconnected();
    expect(sender.objection(url)).toBe(
      'The address in the URL is not on the Internet, and the administrator has not allowed it (WAYBILL_WEBHOOK_ALLOW). Choose another one. To try a receiver on your own machine, run `waybill webhooks listen --forward URL`.',
    );
    expect(await sender.post(url, headers, '{}')).toEqual({ failure: 'url_not_allowed' });
    expect(open).not.toHaveBeenCalled();
  });

  test.each([
    ['127.0.0.1'],
    ['169.254.169.254'],
    ['::1'],
    ['::ffff:10.0.0.1'],
    ['8.8.8.8', '10.0.0.1'],
    ['2606:4700::1111', 'fe80::1'],
  ])('to a name that has the address %s', async (...addresses) => {
    const { sender, open } = unconnected({ resolveAddresses: async () => addresses });
    expect(sender.objection('https://inside.example/')).toBeUndefined();
    expect(await sender.post('https://inside.example/', headers, '{}')).toEqual({ failure: 'no_public_address' });
    expect(open).not.toHaveBeenCalled();
  });

  test('to a name that has no address, or of which nothing is known', async () => {
    const refused = Object.assign(new Error('queryA ESERVFAIL'), { syscall: 'queryA', code: 'ESERVFAIL' });
    for (const resolveAddresses of [async () => [], async () => Promise.reject(refused)]) {
      const { sender, open } = unconnected({ resolveAddresses });
      expect(await sender.post('https://nowhere.example/', headers, '{}')).toEqual({ failure: 'no_public_address' });
      expect(open).not.toHaveBeenCalled();
    }
  });

  test.each([
    [
      'ftp://example.org/',
      'The URL must begin with https://. To try a receiver on your own machine, run `waybill webhooks listen --forward URL`.',
    ],
    [
      'http://example.org/',
      'The URL must begin with https://. To try a receiver on your own machine, run `waybill webhooks listen --forward URL`.',
    ],
    ['https://user:secret@example.org/', 'The URL must not contain a user name or a password.'],
    ['https://example.org/#part', 'The URL must not contain a fragment.'],
    ['example.org', 'This is not a URL. Write it as https://example.org/path.'],
    ['https://', 'This is not a URL. Write it as https://example.org/path.'],
  ])('to %s', async (url, objection) => {
    const { sender, open } = unconnected({ allowHttp: false });
    expect(sender.objection(url)).toBe(objection);
    expect(await sender.post(url, headers, '{}')).toEqual({ failure: 'url_not_allowed' });
    expect(open).not.toHaveBeenCalled();
  });
});

describe('a connection', () => {
  test('is made to the address that was checked, with one look-up, and keeps the name for the certificate', async () => {
    const responses = [['8.8.8.8'], ['127.0.0.1']];
    const resolveAddresses = vi.fn(async () => responses.shift() ?? []);
    const { sender, open } = unconnected({ resolveAddresses });
    await sender.post('https://changing.example:8443/', headers, '{}');
    expect(resolveAddresses).toHaveBeenCalledTimes(1);
    expect(open.mock.calls.map(([{ hostname, host, port }]) => [hostname, host, port])).toEqual([
      ['8.8.8.8', 'changing.example:8443', '8443'],
    ]);
  });

  test('is checked again for the next request', async () => {
    const responses = [['8.8.8.8'], ['127.0.0.1']];
    const { sender, open } = unconnected({ resolveAddresses: async () => responses.shift() ?? [] });
    await sender.post('https://changing.example/', headers, '{}');
    expect(await sender.post('https://changing.example/', headers, '{}')).toEqual({ failure: 'no_public_address' });
    expect(open).toHaveBeenCalledTimes(1);
  });

  test('is tried with the next address when one does not respond, but not with all of a hundred', async () => {
    const addresses = Array.from({ length: 100 }, (_, index) => `8.8.4.${index}`);
    const { sender, open } = unconnected({ resolveAddresses: async () => addresses });
    await sender.post('https://many.example/', headers, '{}');
    expect(open.mock.calls.map(([{ hostname }]) => hostname)).toEqual(addresses.slice(0, 4));
  });

  test('by name reaches the receiver at the checked address', async () => {
    await using peer = await startReceiver();
    const sender = webhookSender({ ...loopback, resolveAddresses: async () => ['127.0.0.1'] });
    const outcome = await sender.post(`http://hooks.example:${peer.port}/`, headers, '{}');
    expect(outcome).toMatchObject({ status: 204 });
    expect(peer.requests.map((request) => request.headers.host)).toEqual([`hooks.example:${peer.port}`]);
  });
});

describe('a certificate', () => {
  const { cert, key } = makeCertificate('hooks.example');

  test.each([
    ['is for the name', 'hooks.example', cert, { status: 204, retryAfterSeconds: undefined }],
    ['is for another name', 'other.example', cert, { failure: 'tls_failed' }],
    ['is vouched for by nobody', 'hooks.example', undefined, { failure: 'tls_failed' }],
  ])('that %s', async (_what, name, ca, expected) => {
    await using peer = await startReceiver(undefined, { cert, key });
    const open = buildConnector({ allowH2: false, ...(ca === undefined ? {} : { ca }) });
    const sender = webhookSender({
      allowed: ['127.0.0.1'],
      allowHttp: false,
      resolveAddresses: async () => ['127.0.0.1'],
      open,
    });
    expect(await sender.post(`https://${name}:${peer.port}/`, headers, '{}')).toEqual(expected);
  });
});

/** Never comes to the end of its head. */
function trickle(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\nx: ');
  const timer = setInterval(() => socket.write('x'), 20);
  socket.on('close', () => clearInterval(timer));
}
