// The faults of the two proxies: each does what its name says, and ends when it is cleared.
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { seeded } from '../seeded.ts';
import { eventually } from '../wait.ts';
import { type Fate, httpProxy } from './http-proxy.ts';
import { TcpProxy } from './tcp-proxy.ts';

test('the same seed gives the same numbers, evenly spread', () => {
  const [one, two, other] = [seeded(7), seeded(7), seeded(8)];
  const numbers = Array.from({ length: 1000 }, () => one());
  expect(numbers).toEqual(Array.from({ length: 1000 }, () => two()));
  expect(numbers[0]).not.toBe(other());
  const mean = numbers.reduce((sum, number) => sum + number) / numbers.length;
  expect(mean).toBeGreaterThan(0.45);
  expect(mean).toBeLessThan(0.55);
  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...numbers)).toBeLessThan(1);
});

describe('over TCP', () => {
  let heard: string;
  let server: Server;
  let proxy: TcpProxy;
  let sockets: Socket[];

  beforeEach(async () => {
    heard = '';
    sockets = [];
    // Replies to every piece with the same text in capitals.
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        heard += bytes.toString();
        socket.write(bytes.toString().toUpperCase());
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    proxy = await TcpProxy.before({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await proxy[Symbol.asyncDispose]();
    server.close();
  });

  async function open() {
    const socket = connect(proxy.port, '127.0.0.1');
    sockets.push(socket);
    const seen = { response: '', closed: false };
    socket.on('data', (bytes) => (seen.response += bytes.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => (seen.closed = true));
    await once(socket, 'connect');
    return { socket, seen };
  }
  const until = (what: string, met: () => boolean) =>
    eventually(what, async () => met() || undefined, { withinMs: 3000, everyMs: 5 });

  test('pass: forwards bytes both ways', async () => {
    const { socket, seen } = await open();
    socket.write('hello');
    await until('the response', () => seen.response === 'HELLO');
    socket.end();
    await until('the end', () => seen.closed);
    expect(proxy.broken).toBe(0);
  });

  test('freeze: forwards nothing on old and new connections, and everything afterwards', async () => {
    const old = await open();
    old.socket.write('a');
    await until('the first response', () => old.seen.response === 'A');
    proxy.fault = 'freeze';
    const late = await open();
    old.socket.write('b');
    late.socket.write('c');
    // Another proxy forwards a whole exchange at the same time.
    await using other = await TcpProxy.before({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
    const probe = connect(other.port, '127.0.0.1');
    sockets.push(probe);
    probe.write('x');
    await once(probe, 'data');
    expect({ heard, old: old.seen, late: late.seen }).toEqual({
      heard: 'ax',
      old: { response: 'A', closed: false },
      late: { response: '', closed: false },
    });
    proxy.fault = 'pass';
    await until('what was held back', () => old.seen.response === 'AB' && late.seen.response === 'C');
  });

  test('swallow: discards everything, and closes the connections afterwards', async () => {
    const { socket, seen } = await open();
    proxy.fault = 'swallow';
    socket.write('lost');
    const later = await open();
    later.socket.write('lost too');
    await until('both are swallowed', () => proxy.swallowedBytes === 'lostlost too'.length);
    proxy.fault = 'pass';
    await until('both are reset', () => seen.closed && later.seen.closed);
    expect(heard).toBe('');
  });

  test('refuse: resets old and new connections', async () => {
    const { socket: old, seen } = await open();
    old.write('first');
    await until('it is through', () => seen.response === 'FIRST');
    proxy.fault = 'refuse';
    await until('the old one is reset', () => seen.closed);
    const socket = connect(proxy.port, '127.0.0.1');
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('close', resolve));
    expect(proxy.broken).toBe(2);
  });

  test('lose-response: it is done, and nobody is told', async () => {
    const { socket, seen } = await open();
    proxy.fault = 'lose-response';
    socket.write('do it');
    await until('the connection is reset', () => seen.closed);
    expect({ heard, response: seen.response }).toEqual({ heard: 'do it', response: '' });
  });

  test('cutAfter: the response ends there', async () => {
    const { socket, seen } = await open();
    proxy.fault = { cutAfter: 3 };
    socket.write('hello');
    await until('the connection is reset', () => seen.closed);
    expect('HEL'.startsWith(seen.response)).toBe(true);
  });

  test('delayMs: forwards everything later, in order', async () => {
    proxy.fault = { delayMs: 40 };
    const { socket, seen } = await open();
    const began = performance.now();
    socket.write('one');
    await once(socket, 'data');
    socket.write('two');
    await until('both', () => seen.response === 'ONETWO');
    expect(performance.now() - began).toBeGreaterThan(150);
  });

  test('cut: resets existing connections only', async () => {
    const { socket, seen } = await open();
    socket.write('first');
    await until('it is through', () => seen.response === 'FIRST');
    proxy.cut();
    await until('it is reset', () => seen.closed);
    const again = await open();
    again.socket.write('again');
    await until('the response', () => again.seen.response === 'AGAIN');
  });
});

describe('over HTTP', () => {
  async function through(kind: 'waybill' | 's3', ...fates: Fate[]) {
    const seen: { url: string; host: string; body: string }[] = [];
    const server = createHttpServer((request, response) => {
      let body = '';
      request.on('data', (bytes: Buffer) => (body += bytes.toString()));
      request.on('end', () => {
        seen.push({ url: request.url ?? '', host: request.headers.host ?? '', body });
        response.end('0123456789');
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const proxy = await httpProxy(kind, target, () => fates.shift() ?? 'pass');
    const ask = async () => {
      const response = await fetch(`${proxy.baseUrl}/path?a=b`, { method: 'PUT', body: 'body' });
      return { status: response.status, text: await response.text() };
    };
    const close = async () => {
      await proxy[Symbol.asyncDispose]();
      server.close();
    };
    return { proxy, target, seen, ask, [Symbol.asyncDispose]: close };
  }

  test('refuse and limit: the server does not get the request', async () => {
    await using line = await through('s3', 'refuse', 'limit');
    expect(await line.ask()).toEqual({ status: 503, text: expect.stringContaining('<Code>SlowDown</Code>') });
    expect((await line.ask()).status).toBe(429);
    expect(line.seen).toEqual([]);
    expect(await line.ask()).toEqual({ status: 200, text: '0123456789' });
    expect(line.seen).toEqual([{ url: '/path?a=b', host: new URL(line.proxy.baseUrl).host, body: 'body' }]);
    expect(line.proxy.troubles).toBe(2);
  });

  test('lose: the server carries out the request, and the response is lost', async () => {
    await using line = await through('waybill', 'lose');
    await expect(line.ask()).rejects.toThrow('fetch failed');
    expect(line.seen).toEqual([{ url: '/path?a=b', host: new URL(line.target).host, body: 'body' }]);
  });

  test('cutAfter: a body that ends too early is no response', async () => {
    await using line = await through('waybill', { cutAfter: 4 });
    await expect(line.ask()).rejects.toThrow('terminated');
    expect(line.proxy.troubles).toBe(1);
  });

  test('flipAt: changes one bit of one byte', async () => {
    await using line = await through('waybill', { flipAt: 3 });
    expect(await line.ask()).toEqual({ status: 200, text: '0122456789' });
    expect(line.proxy.troubles).toBe(1);
  });
});
