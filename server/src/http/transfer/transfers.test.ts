import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import { type SentLink, sentLink } from '../../../test/links.ts';
import { buildTestServer, testHost as host } from '../../../test/server.ts';
import { revokeDrop } from '../../domain/drops/revoke-drop.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { openLink } from '../../domain/links/open-link.ts';
import type { Store } from '../../domain/store.ts';
import { downloads } from '../../web/links/link-pages.ts';
import { sessionCookie, sessionPath } from '../../web/links/session.ts';

/** More than fits into all buffers on the way to a client that does not read. */
const largeBytes = 40_000_000;

const exchange = await useTestExchange();
const large = await sentLarge();
let app: FastifyInstance | undefined;
const outgoings: ClientRequest[] = [];
afterEach(async () => {
  for (const outgoing of outgoings.splice(0)) outgoing.destroy();
  await app?.close();
  app = undefined;
});

async function sentLarge() {
  const sender = await exchange.account('r@example.org');
  await exchange.upload(sender, 'large.bin', randomBytes(largeBytes));
  const sent = await sentLink(exchange, ['small.txt'], ['r@example.org'], sender);
  return { ...sent, files: await exchange.engines.store.links.files(sent.link) };
}

/** Starts a server that counts its reads from the store, and whose database responses the test can delay. */
async function serve(hold: Partial<Record<'bySession' | 'files', () => Promise<void>>> = {}) {
  const { engines } = exchange;
  const count = { reads: 0 };
  const links: Store['links'] = {
    ...engines.store.links,
    async bySession(digest) {
      await hold.bySession?.();
      return engines.store.links.bySession(digest);
    },
    async files(link, fileId) {
      await hold.files?.();
      return engines.store.links.files(link, fileId);
    },
  };
  const objects = {
    ...engines.objects,
    read: (...what: Parameters<typeof engines.objects.read>) => {
      count.reads += 1;
      return engines.objects.read(...what);
    },
  };
  const store = { ...engines.store, links };
  app = buildTestServer(exchange, { store, objects });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return count;
}

async function browser({ link }: SentLink) {
  const secret = await openLink(exchange.engines, link);
  const cookie = sessionCookie(downloads, secret, undefined, false).split(';', 1)[0] as string;
  return (path: string): ClientRequest => {
    if (!app) throw new Error('nobody listens');
    const { port } = app.server.address() as AddressInfo;
    const headers = { host, cookie };
    const outgoing = request({
      host: '127.0.0.1',
      port,
      path: sessionPath(downloads, secret) + path,
      headers,
      agent: false,
    });
    outgoings.push(outgoing);
    return outgoing.on('error', () => undefined).end();
  };
}
const waitForResponse = async (outgoing: ClientRequest) => ((await once(outgoing, 'response')) as [IncomingMessage])[0];
const openConnections = () => new Promise<number>((done) => app?.server.getConnections((_error, count) => done(count)));

describe('a client that disconnects before the first byte', () => {
  test.each([
    ['all.zip', 'bySession'],
    ['all.zip', 'files'],
    ['files', 'bySession'],
    ['files', 'files'],
  ] as const)('causes no read from the store: %s, disconnected during %s', async (path, query) => {
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const hold = () => {
      asked.resolve();
      return held.promise;
    };
    const count = await serve({ [query]: hold });
    const get = await browser(large);
    const outgoing = get(path === 'files' ? `files/${large.files[0]?.id}/large.bin` : path);
    await asked.promise;
    outgoing.destroy();
    await expect.poll(openConnections).toBe(0);
    held.resolve();
    // Closing waits for what is in progress.
    expect((await waitForResponse(get('files/none/none'))).statusCode).toBe(404);
    await app?.close();
    expect(count.reads).toBe(0);
  });

  test('frees its place for others', async () => {
    await serve();
    const get = await browser(large);
    for (let round = 0; round < 40; round += 1) {
      const outgoing = get('all.zip');
      await once(outgoing, 'socket');
      outgoing.destroy();
    }
    await expect.poll(openConnections).toBe(0);
    expect((await waitForResponse(get('all.zip'))).statusCode).toBe(200);
  });
});

describe('one link', () => {
  test('has up to 32 transfers at once; one more gets a page that says to wait, and the others continue', async () => {
    await serve();
    const get = await browser(large);
    const running = await Promise.all(
      Array.from({ length: 32 }, () => waitForResponse(get(`files/${large.files[0]?.id}/large.bin`))),
    );
    expect(new Set(running.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    const refused = await waitForResponse(get('all.zip'));
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '5']);
    expect(refused.headers['content-type']).toBe('text/html; charset=utf-8');
    expect((await buffer(refused)).toString()).toContain('Too many downloads at once');
    const another = await browser(await sentLink(exchange, ['a.txt', 'b.txt']));
    expect((await buffer(await waitForResponse(another('all.zip')))).length).toBeGreaterThan(0);

    running[0]?.destroy();
    await expect.poll(async () => (await waitForResponse(get('all.zip'))).statusCode).toBe(200);
  });
});

describe('a running download', () => {
  test('is cut within seconds of the revocation, without a worker, whether its client reads or not', async () => {
    await serve();
    const sent = await sentLarge();
    const get = await browser(sent);
    const responses = [
      await waitForResponse(get('all.zip')),
      await waitForResponse(get(`files/${sent.files[0]?.id}/large.bin`)),
      await waitForResponse(get(`files/${sent.files[0]?.id}/large.bin`)),
    ];
    const untouched = await waitForResponse((await browser(large))('all.zip'));
    const received = responses.map(() => 0);
    responses.forEach((response, index) => {
      response.on('error', () => undefined);
      // A slow reader, a slower one, and one that has stopped.
      if (index < 2)
        response.on('data', (bytes: Buffer) => {
          received[index] = (received[index] ?? 0) + bytes.length;
          response.pause();
          setTimeout(() => response.resume(), 20 * (index + 1)).unref();
        });
    });
    const account = { id: sent.sender.accountId, email: sent.sender.email };
    await revokeDrop(exchange.engines, account, sent.dropId, exchange.engines.administrator);
    const revoked = Date.now();
    const closed = (response: IncomingMessage) => response.destroyed || response.socket.destroyed;
    await expect.poll(openConnections, { timeout: 5_000 }).toBe(1);
    expect(Date.now() - revoked).toBeLessThan(4_000);
    for (const bytes of received) expect(bytes).toBeLessThan(largeBytes);
    expect(closed(untouched)).toBe(false);
  });
});

test('a delivery is recorded although the database was away at its end, and the server was told to stop', async () => {
  const { engines } = exchange;
  let faults = 0;
  const ended = Promise.withResolvers<void>();
  const store: Store = {
    ...engines.store,
    async transaction(work) {
      if (faults >= 5) return engines.store.transaction(work);
      faults += 1;
      ended.resolve();
      throw new ExchangeError('unavailable');
    },
  };
  app = buildTestServer(exchange, { store });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const sent = await sentLink(exchange, ['small.txt']);
  const [file] = await engines.store.links.files(sent.link);
  const response = await waitForResponse((await browser(sent))(`files/${file?.id}/small.txt`));
  expect(response.statusCode).toBe(200);
  await buffer(response);
  await ended.promise;
  await app.close();
  expect(await exchange.database.query('select 1 from deliveries where file_id = $1', [file?.id])).toHaveLength(1);
  expect(faults).toBe(5);
});
