import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { transports } from '../../../test/transports.ts';
import { cutSlowPeers } from './slow-peers.ts';
import { onConnection } from './tls.ts';

// Only the checks use the test's clock; sockets use real time.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe.each(transports)('over $name', ({ certificate, connect }) => {
  async function exchange(
    handle: (request: IncomingMessage, response: ServerResponse) => void,
    minBodyBytesPerSecond = 1024,
  ) {
    let time = 0;
    const patience = { requestTimeout: 0, headersTimeout: 0 };
    const server = certificate
      ? createTlsServer({ ...patience, ...certificate }, handle)
      : createServer(patience, handle);
    server.on('checkContinue', (request, response) => server.emit('request', request, response));
    const slowPeers = cutSlowPeers(server, { minBodyBytesPerSecond }, () => time);
    const accepted = new Promise<Socket>((resolve) => onConnection(server, resolve));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port);
    client.on('error', () => undefined);
    const socket = await accepted;
    return {
      client,
      socket,
      slowPeers,
      /** Lets time pass, and runs every check that is due within it. */
      pass(seconds: number) {
        for (let second = 0; second < seconds; second += 5) {
          time += 5_000;
          vi.advanceTimersByTime(5_000);
        }
      },
      async [Symbol.asyncDispose]() {
        slowPeers.stop();
        client.destroy();
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      },
    };
  }

  const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n';
  const received = (socket: Socket, bytes: number) => expect.poll(() => socket.bytesRead).toBeGreaterThanOrEqual(bytes);

  /** Connects a peer that has sent this much of a request, whose handler reads the body. */
  async function sending(text: string) {
    let begun = false;
    const peer = await exchange((request) => {
      begun = true;
      request.resume();
    });
    peer.client.write(text);
    await expect.poll(() => begun).toBe(true);
    return peer;
  }

  test('a peer with HTTP/1.0 waits for nothing: whatever it expects, a body that does not come is cut', async () => {
    await using peer = await sending('POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1000000\r\n\r\n');
    peer.pass(30);
    expect(peer.socket.destroyed).toBe(true);
  });

  test('a body that trickles is cut after half a minute', async () => {
    await using peer = await sending(head);
    peer.pass(25);
    expect(peer.socket.destroyed).toBe(false);
    peer.client.write('x'.repeat(500));
    await received(peer.socket, head.length + 500);
    peer.pass(5);
    expect(peer.socket.destroyed).toBe(true);
  });

  test('a body that arrives together with its head counts', async () => {
    await using peer = await sending(head + 'x'.repeat(40_000));
    await received(peer.socket, head.length + 40_000);
    peer.pass(30);
    expect(peer.socket.destroyed).toBe(false);
    peer.pass(30);
    expect(peer.socket.destroyed).toBe(true);
  });

  test('a peer that waits for 100 Continue is cut only if it was asked for its body and does not send it', async () => {
    await using peer = await sending(head.replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n'));
    peer.pass(60);
    expect(peer.socket.destroyed).toBe(false);
    peer.slowPeers.bodyIsAskedFor(peer.socket);
    peer.pass(25);
    expect(peer.socket.destroyed).toBe(false);
    peer.pass(5);
    expect(peer.socket.destroyed).toBe(true);
  });

  test('a body of at least one KiB per second is not cut, however long it takes', async () => {
    await using peer = await sending(head);
    for (let window = 1; window <= 10; window += 1) {
      peer.client.write(Buffer.alloc(30 * 1024));
      await received(peer.socket, head.length + window * 30 * 1024);
      peer.pass(30);
      expect(peer.socket.destroyed).toBe(false);
    }
    peer.pass(30);
    expect(peer.socket.destroyed).toBe(true);
  });

  test('a sender whose body is not being read is not cut', async () => {
    let begun = false;
    await using peer = await exchange(() => {
      begun = true;
    });
    peer.client.write(head);
    peer.client.write(Buffer.alloc(900_000));
    await expect.poll(() => begun && peer.socket.isPaused()).toBe(true);
    peer.pass(300);
    expect(peer.socket.destroyed).toBe(false);
  });

  test('a complete request is not cut while it waits for its response', async () => {
    let reply: ServerResponse | undefined;
    await using peer = await exchange((request, response) => {
      request.resume();
      request.on('end', () => (reply = response));
    });
    peer.client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc');
    await expect.poll(() => reply).toBeDefined();
    peer.pass(600);
    expect(peer.socket.destroyed).toBe(false);
  });

  test('a reader that stalls is cut after a minute', async () => {
    await using peer = await exchange((_request, response) => {
      for (let piece = 0; piece < 1024; piece += 1) response.write(Buffer.alloc(64 * 1024));
    });
    peer.client.pause();
    peer.client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(() => peer.socket.writableLength).toBeGreaterThan(0);
    // Bytes that the kernel still accepts count as progress.
    let taken = -1;
    await expect.poll(() => taken === (taken = peer.socket.bytesWritten - peer.socket.writableLength)).toBe(true);
    peer.pass(55);
    expect(peer.socket.destroyed).toBe(false);
    peer.pass(10);
    expect(peer.socket.destroyed).toBe(true);
  });

  test('a reader that reads a little now and then is not cut', async () => {
    await using peer = await exchange((_request, response) => {
      const more = () => {
        while (response.write(Buffer.alloc(1024 * 1024)));
        response.once('drain', more);
      };
      more();
    });
    let wanted = 0;
    let taken = 0;
    peer.client.on('data', (bytes: Buffer) => {
      taken += bytes.length;
      if (taken >= wanted) peer.client.pause();
    });
    peer.client.pause();
    peer.client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(() => peer.socket.writableLength).toBeGreaterThan(0);
    for (let turn = 1; turn <= 5; turn += 1) {
      const before = peer.socket.bytesWritten - peer.socket.writableLength;
      peer.pass(45);
      wanted = taken + 8 * 1024 * 1024;
      peer.client.resume();
      await expect.poll(() => peer.socket.bytesWritten - peer.socket.writableLength).toBeGreaterThan(before);
      await expect.poll(() => taken).toBeGreaterThanOrEqual(wanted);
      peer.pass(5);
      expect(peer.socket.destroyed).toBe(false);
    }
  });

  test('an idle connection is not cut here, because the server has its own limit for it', async () => {
    await using peer = await exchange(() => undefined);
    peer.pass(3_600);
    expect(peer.socket.destroyed).toBe(false);
  });

  test('the operator can set the minimum speed of a body', async () => {
    for (const [minBodyBytesPerSecond, cut] of [
      [10, false],
      [200, true],
    ] as const) {
      await using peer = await exchange((request) => void request.resume(), minBodyBytesPerSecond);
      peer.client.write(`${head}${'x'.repeat(100)}`);
      await received(peer.socket, head.length + 100);
      // The window begins with the request; only later bytes count.
      peer.client.write('x'.repeat(30 * 100));
      await received(peer.socket, head.length + 3_100);
      peer.pass(35);
      expect(peer.socket.destroyed).toBe(cut);
    }
  });
});

test('checks nothing any more once it is stopped', async () => {
  const server = createServer();
  const { stop } = cutSlowPeers(server, { minBodyBytesPerSecond: 1024 });
  expect(vi.getTimerCount()).toBe(1);
  stop();
  expect(vi.getTimerCount()).toBe(0);
});
