import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, connect as tcpConnect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, connect, Server, type TLSSocket } from 'node:tls';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { testServerOptions } from '../../../test/server.ts';
import { makeCertificate } from '../../../test/transports.ts';
import { buildServer, type ServerEngines } from '../../services/build-server.ts';
import { type Certificate, readCertificate, reloadCertificate } from './tls.ts';

let folder: string;
const files = () => ({ certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') });
const first = makeCertificate('first');
const second = makeCertificate('second');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-tls-'));
  store(first);
  // Only the checks of the files use the test's clock.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

function store({ cert, key }: Certificate, { certificate: certFile, key: keyFile } = files()): void {
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key, { mode: 0o600 });
}

/** Starts a server with the certificate in the files; returns its log and a way to connect to it. */
async function serving() {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const certificate = readCertificate(files());
  const app = buildServer({} as ServerEngines, { ...testServerOptions, log, certificate });
  const reloading = reloadCertificate(app.server, files(), { served: certificate, log });
  await app.listen({ port: 0, host: '127.0.0.1' });
  lines.length = 0;
  onTestFinished(async () => {
    reloading.stop();
    app.server.closeAllConnections();
    await app.close();
  });
  const { port } = app.server.address() as AddressInfo;
  const open = async (options: ConnectionOptions = {}) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
    await once(socket, 'secureConnect');
    return socket;
  };
  const nameServed = async () => {
    const socket = await open();
    const { CN } = socket.getPeerCertificate().subject;
    socket.destroy();
    return CN;
  };
  return { port, lines, open, nameServed };
}

async function ask(socket: TLSSocket, connection: string): Promise<string> {
  socket.write(`GET /nowhere HTTP/1.1\r\nHost: files.example.org\r\nConnection: ${connection}\r\n\r\n`);
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  return bytes.toString();
}

test('speaks HTTPS from version 1.2 on, and nothing else', async () => {
  const { port, open } = await serving();
  const socket = await open();
  expect(await ask(socket, 'close')).toMatch(/^HTTP\/1\.1 404 /);
  expect((await open({ maxVersion: 'TLSv1.2' })).getProtocol()).toBe('TLSv1.2');
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  await expect(open(old)).rejects.toThrow(/protocol version/);
  const plain = tcpConnect(port, '127.0.0.1');
  plain.write('GET / HTTP/1.1\r\nHost: files.example.org\r\n\r\n');
  expect(await text(plain)).not.toContain('HTTP/1.1 404');
});

test('serves a new certificate on new connections, and keeps those that are open', async () => {
  const { lines, open, nameServed } = await serving();
  const before = await open();
  expect(await ask(before, 'keep-alive')).toMatch(/^HTTP\/1\.1 404 /);
  store(second);
  vi.advanceTimersByTime(10_000);
  expect(await nameServed()).toBe('second');
  expect(await ask(before, 'keep-alive')).toMatch(/^HTTP\/1\.1 404 /);
  expect(lines.join('')).toContain('serving a new certificate');
});

test.each([
  ['that expired yesterday', { from: '-2d' }, 50, /has expired: clients refuse the connection/],
  ['that expires tomorrow', {}, 40, /expires soon/],
  ['that is valid for long', { days: 90 }, undefined, undefined],
])('a certificate %s is logged accordingly when serve starts with it', (_what, lifetime, level, msg) => {
  const certificate = makeCertificate('first', lifetime);
  const lines: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  const server = new Server();
  const reloading = reloadCertificate(server as unknown as HttpServer, files(), { served: certificate, log });
  const expected = level === undefined ? [] : [{ level, msg: expect.stringMatching(msg) }];
  expect(lines).toMatchObject(expected);
  expect(reloading.expiresAt()).toEqual(new X509Certificate(certificate.cert).validToDate);
  reloading.stop();
});

test('notices that a symbolic link points to another file', async () => {
  const target = (name: string) => ({ certificate: join(folder, `${name}-cert`), key: join(folder, `${name}-key`) });
  const linkTo = (name: string) => {
    for (const part of ['certificate', 'key'] as const) {
      unlinkSync(files()[part]);
      symlinkSync(target(name)[part], files()[part]);
    }
  };
  store(first, target('old'));
  store(second, target('new'));
  linkTo('old');
  const { nameServed } = await serving();
  linkTo('new');
  vi.advanceTimersByTime(10_000);
  expect(await nameServed()).toBe('second');
});

test.each([
  ['is broken', () => writeFileSync(files().certificate, 'no certificate')],
  ['belongs to another key', () => writeFileSync(files().certificate, second.cert)],
  ['is gone', () => unlinkSync(files().certificate)],
])('keeps the old certificate if the new one %s, logs it once, and recovers', async (_what, damage) => {
  const { lines, nameServed } = await serving();
  damage();
  vi.advanceTimersByTime(60_000);
  expect(await nameServed()).toBe('first');
  expect(lines.filter((line) => line.includes('cannot be used'))).toHaveLength(1);
  expect(lines.join('')).not.toContain('PRIVATE KEY');
  store(second);
  vi.advanceTimersByTime(10_000);
  expect(await nameServed()).toBe('second');
});

test('does not start with a certificate that cannot be served, or a key that everyone can read', () => {
  chmodSync(files().key, 0o644);
  expect(() => readCertificate(files())).toThrow(/open to every user.*chmod o= /);
  store(first);
  chmodSync(files().key, 0o640);
  expect(readCertificate(files())).toEqual(first);
  writeFileSync(files().certificate, second.cert);
  expect(() => readCertificate(files())).toThrow(/WAYBILL_TLS_CERTIFICATE_FILE .* cannot be used/);
});
