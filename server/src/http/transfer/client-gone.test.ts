import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import { buildTestServer, testHost as host } from '../../../test/server.ts';
import { ProbeTokens, probeHeader, probeMediaType, probePath } from '../../domain/doctor/probe.ts';
import { announceUpload, uploadOwner } from '../../domain/uploads/account-upload.ts';

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly route?: string;
  readonly status?: number;
}

const exchange = await useTestExchange();
const { engines } = exchange;
const actor = await exchange.account();
const said: Line[] = [];
const log = pino(
  { level: 'info' },
  new Writable({
    write(line: Buffer, _encoding, done) {
      said.push(JSON.parse(line.toString()) as Line);
      done();
    },
  }),
);
let looks = 0;
const uploads: typeof engines.store.uploads = {
  ...engines.store.uploads,
  storedByWriter: (...asked) => {
    looks += 1;
    return engines.store.uploads.storedByWriter(...asked);
  },
};
const app = buildTestServer(exchange, { store: { ...engines.store, uploads } }, { log });
await app.listen({ port: 0, host: '127.0.0.1' });
afterAll(() => app.close());

const bearer = { authorization: `Bearer ${actor.apiKey}` };
const tus = { ...bearer, 'tus-resumable': '1.0.0' };

/** Creates an upload that waits for its bytes. */
async function beginUpload(): Promise<string> {
  const id = engines.random.uuid();
  const file = { id, name: 'a.bin', mediaType: 'text/plain', sizeBytes: 50_000_000 };
  await announceUpload(engines, actor, file, (begin) => begin(engines));
  return id;
}

function open(method: string, path: string, headers: Record<string, string>) {
  const { port } = app.server.address() as AddressInfo;
  return request({ host: '127.0.0.1', port, method, path, agent: false, headers: { host, ...headers } }).on(
    'error',
    () => undefined,
  );
}

const csrfToken = async () => {
  const basic = `Basic ${Buffer.from(`${actor.email}:${actor.apiKey}`).toString('base64')}`;
  const page = await app.inject({ url: `/${actor.email}/`, headers: { host, authorization: basic } });
  return { authorization: basic, 'csrf-token': /([A-Za-z0-9_-]{43})/.exec(page.body)?.[1] as string };
};

const requests = {
  'a part of an upload': async () =>
    open('PATCH', `/api/v1/uploads/${await beginUpload()}`, {
      ...tus,
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
      'content-length': '50000000',
    }),
  'a whole upload': async () =>
    open('POST', '/api/v1/uploads', {
      ...bearer,
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="a"',
      'content-length': '5000000',
    }),
  'a form': async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=b', 'content-length': '5000000' };
    const outgoing = open('POST', `/${actor.email}/cgi/upload.cgi`, { ...(await csrfToken()), ...headers });
    outgoing.write('--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n');
    return outgoing;
  },
  JSON: async () =>
    open('POST', '/api/v1/drops', { ...bearer, 'content-type': 'application/json', 'content-length': '200000' }),
  "the doctor's request": async () =>
    open('POST', probePath, {
      [probeHeader]: new ProbeTokens(engines.pepper).make(engines.random, Date.now()),
      'content-type': probeMediaType,
      'content-length': '1000000',
    }),
};

test.each(Object.entries(requests))('a client that disconnects during %s is no error of ours', async (_name, start) => {
  const before = said.length;
  const outgoing = await start();
  outgoing.write(Buffer.alloc(100_000));
  await expect.poll(() => openRequests(), { timeout: 10_000 }).toBe(1);
  await new Promise<void>((sent) => outgoing.write('x', () => sent()));
  outgoing.destroy();
  await expect.poll(() => openRequests(), { timeout: 10_000 }).toBe(0);
  const lines = () => said.slice(before);
  const gone = 'the client disconnected before its request was complete';
  await expect.poll(() => lines().map(({ msg }) => msg), { timeout: 10_000 }).toContain(gone);
  expect(lines().filter(({ level }) => level > 30)).toEqual([]);
});

function openRequests(): Promise<number> {
  return new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count)));
}

test('a client that queries an offset and then disconnects causes no more queries', async () => {
  const id = await beginUpload();
  // A writer that is still connected, for which the next request waits.
  const { accountId, draft } = uploadOwner(actor, id);
  await engines.store.uploads.takeOver({ accountId, id, writer: engines.random.uuid() }, draft, 60);
  const outgoing = open('HEAD', `/api/v1/uploads/${id}`, tus).end();
  await expect.poll(() => looks).toBeGreaterThan(1);
  outgoing.destroy();
  await expect.poll(() => openRequests()).toBe(0);
  const asked = looks;
  // Closing waits for handlers, and the handler would wait another two seconds for the writer.
  const begin = performance.now();
  await app.close();
  expect(performance.now() - begin).toBeLessThan(1_500);
  expect(looks - asked).toBeLessThanOrEqual(1);
});
