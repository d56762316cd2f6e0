import { execFileSync } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { closedPort, startPeer } from '../../../../tools/shared/tcp.ts';
import { objectStoreContract } from '../../../test/contracts/object-store-contract.ts';
import { engineAddresses } from '../../../test/engine-addresses.ts';
import { openTestObjectStore } from '../../../test/object-store.ts';
import { toReason, withDeadline } from '../../http/probes/watch-engines.ts';
import { type S3ObjectStore, type S3ObjectStoreOptions, s3ObjectStore } from './object-store.ts';

const live = new AbortController().signal;

objectStoreContract('Ceph RGW', openTestObjectStore);

test('deletes a thousand objects in one call', async () => {
  const store = await openTestObjectStore();
  const prefix = randomUUID();
  const keys = Array.from({ length: 1000 }, (_, index) => `${prefix}/${String(index).padStart(8, '0')}`);
  for (const key of [keys[0], keys[999]]) await store.put(key as string, [Buffer.from('x')], live);
  await store.delete(keys);
  expect(await store.keys(prefix)).toEqual([]);
});

const storeAt = (port: number, options: Partial<S3ObjectStoreOptions> = {}): S3ObjectStore & Disposable => {
  const store = s3ObjectStore({
    ...engineAddresses.s3,
    endpoint: `http://127.0.0.1:${port}`,
    bucket: 'b',
    deadlineMs: 5_000,
    silenceMs: 1_000,
    ...options,
  });
  return { ...store, [Symbol.dispose]: () => store.close() };
};

test('what is to be deleted is named in requests of fifty keys, each with its MD5', async () => {
  const bodies: Buffer[] = [];
  await using server = await startServer(async (request, response) => {
    const body = await buffer(request);
    expect(request.headers['content-md5']).toBe(createHash('md5').update(body).digest('base64'));
    bodies.push(body);
    response.end('<DeleteResult/>');
  });
  using store = storeAt(server.port);
  await store.delete(Array.from({ length: 101 }, (_, index) => String(index)));
  expect(bodies.map((body) => body.toString().split('<Key>').length - 1)).toEqual([50, 50, 1]);
});

test('names the objects that the store did not delete, and asks for them again only', async () => {
  const asked: string[][] = [];
  await using server = await startServer(async (request, response) => {
    const keys = [...(await buffer(request)).toString().matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key]) => key as string);
    asked.push(keys);
    const errors = keys
      .filter((key) => key === 'bad')
      .map((key) => `<Error><Key>${key}</Key><Code>InternalError</Code></Error>`);
    response.end(`<DeleteResult>${errors.join('')}</DeleteResult>`);
  });
  using store = storeAt(server.port, { deadlineMs: 300, silenceMs: 200 });
  expect(await store.delete(['one', 'bad', 'two'])).toEqual(['bad']);
  expect(asked[0]).toEqual(['one', 'bad', 'two']);
  expect(new Set(asked.slice(1).map((keys) => keys.join()))).toEqual(new Set(['bad']));
});

/** A local server in place of the store. */
async function startServer(
  reply: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
  tls?: { key: Buffer; cert: Buffer },
) {
  const listener = (request: IncomingMessage, response: ServerResponse) => void reply(request, response);
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Everything that a store can be asked to do, each with an example call. */
const calls: [string, (store: S3ObjectStore, signal?: AbortSignal) => Promise<unknown>][] = [
  ['put', (store, signal = live) => store.put('key', [Buffer.alloc(70_000, 'x'), Buffer.alloc(7, 'y')], signal)],
  ['read', (store, signal = live) => store.read('key', { offset: 0, length: 8_000_000 }, signal)],
  ['delete', (store) => store.delete(['key'])],
  ['ping', (store) => store.ping()],
];

async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await work();
  return performance.now() - since;
}

describe('a store out of reach', () => {
  test.each(calls)('is unavailable to a %s', async (_what, call) => {
    using store = storeAt(await closedPort(), { deadlineMs: 300, silenceMs: 200 });
    await expect(call(store)).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('is unavailable when the bucket is missing', async () => {
    const store = s3ObjectStore({ ...engineAddresses.s3, bucket: `missing-${randomUUID()}` });
    await expect(store.put('key', [Buffer.from('x')], live)).rejects.toMatchObject({ code: 'unavailable' });
    await expect(store.ping()).rejects.toMatchObject({ code: 'unavailable' });
    store.close();
  });
});

describe('a check, which has two seconds,', () => {
  const readReason = async (port: number) => {
    using store = storeAt(port, { silenceMs: 3_000 });
    return withDeadline(store.ping(), 2_000).then(() => 'none', toReason);
  };

  test('names the reason why the store is out of reach', async () => {
    const port = await closedPort();
    expect(await readReason(port)).toBe(`connect ECONNREFUSED 127.0.0.1:${port}`);
  });

  test('says how long a store was silent', async () => {
    await using peer = await startPeer((socket) => socket.resume());
    expect(await readReason(peer.port)).toBe('no response within 1800 ms');
  });
});

describe('a store that accepts and is silent', () => {
  test.each(calls)('is unavailable to a %s when its time is up, and not before', async (what, call) => {
    let connections = 0;
    await using peer = await startPeer((socket) => {
      connections += 1;
      socket.resume();
    });
    using store = storeAt(peer.port, { deadlineMs: 900, silenceMs: 250 });
    const took = await elapsedMs(() => expect(call(store)).rejects.toMatchObject({ code: 'unavailable' }));
    const deadlineMs = what === 'ping' ? 250 : 900;
    expect(took).toBeGreaterThan(deadlineMs - 50);
    expect(took).toBeLessThan(deadlineMs + 3_000);
    // It was not all spent waiting in a single attempt.
    if (what !== 'ping') expect(connections).toBeGreaterThan(1);
  });

  test.each(calls.slice(0, 2))('is left at once by a %s whose signal is aborted', async (_what, call) => {
    const gone = new AbortController();
    await using peer = await startPeer((socket) => {
      socket.resume();
      gone.abort(new Error('gone'));
    });
    using store = storeAt(peer.port, { deadlineMs: 60_000, silenceMs: 60_000 });
    await expect(call(store, gone.signal)).rejects.toThrow('gone');
  });

  test('in the middle of a response is asked again, and unavailable when it stays so', async () => {
    let connections = 0;
    await using peer = await startPeer((socket) => {
      connections += 1;
      socket.once('data', () => {
        socket.write('HTTP/1.1 206 Partial Content\r\nContent-Length: 1000\r\n\r\n');
        socket.write(Buffer.alloc(400));
      });
    });
    using store = storeAt(peer.port, { deadlineMs: 900, silenceMs: 250 });
    const reading = store.read('key', { offset: 0, length: 1000 }, live);
    const took = await elapsedMs(() => expect(reading).rejects.toMatchObject({ code: 'unavailable' }));
    expect(took).toBeLessThan(4_000);
    expect(connections).toBeGreaterThan(1);
  });
});

describe('a response that is lost', () => {
  test('to a PUT has the same object put again', async () => {
    const bodies: Buffer[] = [];
    await using server = await startServer(async (request, response) => {
      bodies.push(await buffer(request));
      if (bodies.length > 1) response.writeHead(200).end();
    });
    using store = storeAt(server.port, { silenceMs: 300 });
    const pieces = [70_000, 1, 65_552].map((length) => randomBytes(length));
    await store.put('key', pieces, live);
    expect(bodies.map((body) => body.equals(Buffer.concat(pieces)))).toEqual([true, true]);
  });

  test('to a read has it read again', async () => {
    let asked = 0;
    await using server = await startServer((_request, response) => {
      if (++asked > 1) response.writeHead(206, { 'content-length': '5' }).end('12345');
    });
    using store = storeAt(server.port, { silenceMs: 300 });
    expect((await store.read('key', { offset: 7, length: 5 }, live)).toString()).toBe('12345');
    expect(asked).toBe(2);
  });
});

describe('a response cut short', () => {
  const cutAfter = (bytes: number) => {
    let connections = 0;
    const onConnection: Parameters<typeof startPeer>[0] = (socket) => {
      connections += 1;
      const whole = connections > 2;
      socket.once('data', () => {
        socket.write('HTTP/1.1 206 Partial Content\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n');
        socket.end(Buffer.alloc(whole ? 1000 : bytes, 'x'));
      });
    };
    return { onConnection, connections: () => connections };
  };

  test('is asked for again, and what is read is whole', async () => {
    const { onConnection, connections } = cutAfter(400);
    await using peer = await startPeer(onConnection);
    using store = storeAt(peer.port);
    const read = await store.read('key', { offset: 0, length: 1000 }, live);
    expect([read.equals(Buffer.alloc(1000, 'x')), connections()]).toEqual([true, 3]);
  });

  test('again and again is an error, never a short object', async () => {
    await using peer = await startPeer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 206 Partial Content\r\nContent-Length: 1000\r\n\r\n');
        socket.end(Buffer.alloc(400));
      });
    });
    using store = storeAt(peer.port, { deadlineMs: 500 });
    const reading = store.read('key', { offset: 0, length: 1000 }, live);
    await expect(reading).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('by the object’s own account is damage, and not asked for again', async () => {
    let asked = 0;
    await using server = await startServer((_request, response) => {
      asked += 1;
      response.writeHead(206, { 'content-length': '400' }).end(Buffer.alloc(400));
    });
    using store = storeAt(server.port);
    const reading = store.read('key', { offset: 0, length: 1000 }, live);
    await expect(reading).rejects.toMatchObject({ code: 'damaged' });
    expect(asked).toBe(1);
  });
});

describe('a server that responds with', () => {
  const serveStatus = async (status: (asked: number) => number) => {
    let asked = 0;
    const server = await startServer((request, response) => {
      request.resume();
      asked += 1;
      response.writeHead(status(asked)).end();
    });
    return { ...server, asked: () => asked };
  };

  test.each([503, 500, 429, 408])('%i is asked again', async (status) => {
    await using server = await serveStatus((asked) => (asked < 3 ? status : 200));
    using store = storeAt(server.port);
    await store.put('key', [Buffer.from('x')], live);
    expect(server.asked()).toBe(3);
  });

  test('503 all the time is unavailable when its time is up, and was not asked too often', async () => {
    await using server = await serveStatus(() => 503);
    using store = storeAt(server.port, { deadlineMs: 600 });
    const putting = store.put('key', [Buffer.from('x')], live);
    const took = await elapsedMs(() => expect(putting).rejects.toMatchObject({ code: 'unavailable' }));
    expect(took).toBeLessThan(3_000);
    expect(server.asked()).toBeGreaterThan(1);
    expect(server.asked()).toBeLessThan(15);
  });

  test.each([403, 400])('%i is believed at once', async (status) => {
    await using server = await serveStatus(() => status);
    using store = storeAt(server.port);
    for (const [, call] of calls) await expect(call(store)).rejects.toMatchObject({ code: 'unavailable' });
    expect(server.asked()).toBe(calls.length);
  });
});

describe('reads at once', () => {
  /** How many reads are at the store at once, of so many that are wanted, when each waits so long for its first byte. */
  async function mostAtOnce(firstByteMs: number): Promise<number> {
    let [running, most] = [0, 0];
    await using server = await startServer(async (_request, response) => {
      running += 1;
      most = Math.max(most, running);
      await pause(firstByteMs);
      running -= 1;
      response.writeHead(206, { 'content-length': '1' }).end('x');
    });
    using store = storeAt(server.port);
    await Promise.all(Array.from({ length: 400 }, () => store.read('key', { offset: 0, length: 1 }, live)));
    return most;
  }

  test('are as many as the time to the first byte makes worthwhile, up to a bound', async () => {
    const [near, distant, remote] = [await mostAtOnce(0), await mostAtOnce(30), await mostAtOnce(300)];
    expect(near).toBeLessThan(30);
    expect(distant).toBeGreaterThanOrEqual(34);
    expect(remote).toBe(64);
  });
});

describe('the signature of a PUT', () => {
  const pieces = [Buffer.from('some '), Buffer.from('bytes')];
  /** The headers and the body that a local server receives when it is addressed by this name. */
  async function received(hostname: string, parts: readonly Buffer[] = pieces, tls?: { key: Buffer; cert: Buffer }) {
    const got = Promise.withResolvers<{ headers: IncomingMessage['headers']; body: Buffer }>();
    await using server = await startServer(async (request, response) => {
      got.resolve({ headers: request.headers, body: await buffer(request) });
      response.writeHead(200).end();
    }, tls);
    using store = storeAt(server.port, { endpoint: `http${tls ? 's' : ''}://${hostname}:${server.port}` });
    await store.put('key', parts, live);
    return got.promise;
  }

  test.each(['127.0.0.1', 'localhost'])('does not cover the body on the way to %s', async (hostname) => {
    const { headers, body } = await received(hostname);
    expect([headers['x-amz-content-sha256'], body.toString()]).toEqual(['UNSIGNED-PAYLOAD', 'some bytes']);
    expect(headers.authorization).toContain('x-amz-content-sha256');
  });

  // All addresses of this machine: the request does not leave it, although its name does not show that.
  test.each([
    ['several pieces', pieces],
    ['one piece', [Buffer.from('some bytes')]],
    ['no piece', []],
  ])('covers a body of %s on the way over a network without TLS', async (_what, parts) => {
    const { headers, body } = await received('0.0.0.0', parts);
    const whole = Buffer.concat(parts);
    expect(body.equals(whole)).toBe(true);
    expect(headers['x-amz-content-sha256']).toBe(createHash('sha256').update(whole).digest('hex'));
    expect(headers.authorization).toContain('x-amz-content-sha256');
  });

  test('does not cover the body on the way through TLS', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const { headers, body } = await received('0.0.0.0', pieces, selfSigned());
    expect([headers['x-amz-content-sha256'], body.toString()]).toEqual(['UNSIGNED-PAYLOAD', 'some bytes']);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test('says how long the body is, in whatever pieces it comes', async () => {
    const { headers } = await received('127.0.0.1');
    expect([headers['content-length'], headers['transfer-encoding']]).toEqual(['10', undefined]);
  });
});

function selfSigned(): { key: Buffer; cert: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-test-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', '-x509', '-days', '1', '-subj', '/CN=localhost', ...made], { stdio: 'ignore' });
  const pair = { key: readFileSync(key), cert: readFileSync(cert) };
  rmSync(folder, { recursive: true });
  return pair;
}
