// SIGTERM to one of two processes behind HAProxy, in the middle of requests and transfers: no one notices.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closedPort } from '../../tools/shared/tcp.ts';
import { freshClient } from '../lib/accounts.ts';
import { fullSize } from '../lib/full-size.ts';
import { type Client, succeeded } from '../lib/http/client.ts';
import { openResponse } from '../lib/http/stream.ts';
import { introduce } from '../lib/scenario.ts';
import { deployedProxy } from '../lib/servers/deployed-proxy.ts';
import { type OwnServe, ownServe } from '../lib/servers/own-serve.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { eventually } from '../lib/wait.ts';
import { Keystream } from '../sizes/keystream.ts';
import { uploadStream } from '../sizes/upload-stream.ts';

/** More than the kernel and HAProxy buffer, so that for the server a download that pauses is still in progress. */
const sizeBytes = fullSize ? 1024 ** 3 : 64 * 1024 ** 2;
/** Enough that some of them are on the process that is stopped. */
const transfers = fullSize ? 10 : 6;
const requestsPerSecond = fullSize ? 200 : 60;
/** The speed of each transfer, as over a network: at full speed they would leave no processor time for the requests. */
const bytesPerSecond = 8 * 1024 ** 2;
const timeout = fullSize ? 1_800_000 : 180_000;

const content = new Keystream(randomBytes(16).toString('hex'));
let sender: Client;
let receiver: Client;
let inboxUrl: string;
let digest: string;

/** A file in an inbox, for the downloads. */
beforeAll(async () => {
  [sender, receiver] = await Promise.all([freshClient('stop-sender'), freshClient('stop-receiver')]);
  await introduce(sender, [receiver.user]);
  succeeded(await sender.setReceivers([{ email: receiver.user }]));
  succeeded(await sender.files());
  digest = await uploadStream(sender, 'large.bin', content, sizeBytes);
  succeeded(await sender.createDrop({ ddmessage: 'for downloads' }));
  inboxUrl = (await receiver.readHistory()).inbox[0]?.url ?? '';
}, timeout);

interface Serving extends OwnServe {
  address: string;
  probesPort: number;
}
const started: Serving[] = [];
afterAll(() => Promise.all(started.map((serve) => serve.stop())));

async function startServing(): Promise<Serving> {
  const probesPort = await closedPort();
  const serve = await ownServe({
    WAYBILL_PROBES_LISTEN: `127.0.0.1:${probesPort}`,
    WAYBILL_TRUSTED_PROXIES: '127.0.0.1',
    WAYBILL_STOP_DELAY_SECONDS: '6',
    WAYBILL_STOP_SECONDS: '600',
  });
  const serving = { ...serve, probesPort, address: new URL(serve.baseUrl).host };
  started.push(serving);
  return serving;
}

for (const index of [0, 1]) {
  test(`process ${index}: no request fails, and transfers in progress end`, { timeout }, async () => {
    const serves = await Promise.all([startServing(), startServing()]);
    const stopped = serves[index] as Serving;
    await using proxy = await deployedProxy(serves);
    const load = startLoad(sender.through(proxy.baseUrl));
    const midway = meetingPoint(transfers);
    const running = Array.from({ length: transfers }, (_, at) =>
      at % 2 === 0 ? upload(proxy.baseUrl, journey(midway.arrive)) : download(proxy.baseUrl, journey(midway.arrive)),
    );
    running.forEach((transfer) => void transfer.catch(midway.fail));
    await midway.everybody;

    process.kill(stopped.pid, 'SIGTERM');
    const readiness = () => fetch(`http://127.0.0.1:${stopped.probesPort}/readyz`);
    await eventually('it says that it is not ready', async () =>
      (await readiness()).status === 503 ? true : undefined,
    );
    // It is not ready, but still serves.
    expect((await sender.through(stopped.baseUrl).impatient().contacts()).status).toBe(200);
    const refused = () =>
      fetch(stopped.baseUrl).then(
        () => undefined,
        () => true as const,
      );
    await eventually('it takes no new connections', refused);
    expect((await readiness()).status).toBe(503);

    midway.goOn();
    expect(await Promise.all(running)).toEqual(Array.from({ length: transfers }, () => digest));
    expect(await stopped.ended).toBe(0);
    const { responseCount, failures } = await load.end();
    process.stdout.write(
      `shutdown: ${responseCount} requests, ${failures.length} failed; ${transfers} transfers ended\n`,
    );
    expect(failures).toEqual([]);
    expect(responseCount).toBeGreaterThan(requestsPerSecond);
  });
}

/** Keeps a transfer at its speed, and makes it wait once, when a quarter of it is done. */
function journey(arrive: () => Promise<void>): (doneBytes: number) => Promise<void> {
  let began = performance.now();
  let hasArrived = false;
  return async (doneBytes) => {
    const aheadMs = (doneBytes / bytesPerSecond) * 1000 - (performance.now() - began);
    if (aheadMs > 50) await pause(aheadMs);
    if (hasArrived || doneBytes * 4 < sizeBytes) return;
    hasArrived = true;
    const waitsSince = performance.now();
    await arrive();
    began += performance.now() - waitsSince;
  };
}

async function upload(baseUrl: string, onBytes: (doneBytes: number) => Promise<void>): Promise<string> {
  const client = sender.through(baseUrl).inDraft(randomBytes(8).toString('hex'));
  succeeded(await client.files());
  return await uploadStream(client, 'large.bin', content, sizeBytes, onBytes);
}

async function download(baseUrl: string, onBytes: (doneBytes: number) => Promise<void>): Promise<string> {
  const response = await openResponse(receiver.through(baseUrl), `${inboxUrl}/files/large.bin`);
  expect(response.statusCode).toBe(200);
  const hash = createHash('sha256');
  let readBytes = 0;
  for await (const bytes of response) {
    hash.update(bytes as Buffer);
    readBytes += (bytes as Buffer).length;
    await onBytes(readBytes);
  }
  return hash.digest('hex');
}

/** A point at which all transfers wait for one another, and then for the test. */
function meetingPoint(count: number) {
  const everybody = Promise.withResolvers<void>();
  const onward = Promise.withResolvers<void>();
  let arrived = 0;
  return {
    everybody: everybody.promise,
    fail: everybody.reject,
    goOn: onward.resolve,
    arrive() {
      arrived += 1;
      if (arrived === count) everybody.resolve();
      return onward.promise;
    },
  };
}

/** Reads and writes on persistent connections, as a busy client does. */
function startLoad(client: Client) {
  const agent = new Agent({ keepAlive: true });
  const failures: string[] = [];
  const pending = new Set<Promise<void>>();
  let responseCount = 0;
  const ask = async (count: number) => {
    try {
      const { status, body } = await send(client, agent, count);
      responseCount += 1;
      if (status !== 200) failures.push(`${status} ${body}`);
    } catch (error) {
      failures.push((error as Error).message);
    }
  };
  let asked = 0;
  const timer = setInterval(() => {
    asked += 1;
    const request = ask(asked).finally(() => pending.delete(request));
    pending.add(request);
  }, 1000 / requestsPerSecond);
  return {
    async end() {
      clearInterval(timer);
      await Promise.all(pending);
      agent.destroy();
      return { responseCount, failures };
    },
  };
}

async function send(
  client: Client,
  agent: Agent,
  count: number,
): Promise<{ status: number | undefined; body: string }> {
  const writes = count % 4 === 0;
  const { hostname, port } = new URL(client.baseUrl);
  const outgoing = httpRequest({
    hostname,
    port,
    agent,
    method: writes ? 'POST' : 'GET',
    path: `/${client.user}/cgi/${writes ? 'receivers_set.cgi' : 'contacts_read.cgi'}`,
    headers: {
      Host: new URL(demo().base_url).host,
      Authorization: client.authorization,
      'CSRF-Token': await client.token(),
      ...(writes ? { 'Content-Type': 'application/json', 'Waybill-Draft': 'load' } : {}),
    },
  });
  outgoing.end(writes ? JSON.stringify([{ email: receiver.user }]) : undefined);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response) };
}
