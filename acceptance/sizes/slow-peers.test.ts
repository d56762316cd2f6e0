// Slow peers in large numbers: all of them are served, cost little, and delay no one else.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { percentile } from '../../tools/shared/percentile.ts';
import { freshClient } from '../lib/accounts.ts';
import { fullSize } from '../lib/full-size.ts';
import { type Client, succeeded } from '../lib/http/client.ts';
import { openRequest, openResponse } from '../lib/http/stream.ts';
import { probed, startProbe } from '../lib/probe.ts';
import { introduce } from '../lib/scenario.ts';
import { type OwnServe, ownServe } from '../lib/servers/own-serve.ts';
import { eventually } from '../lib/wait.ts';
import { Keystream } from './keystream.ts';
import { memoryMiB, peakMemoryMiB } from './process-memory.ts';
import { uploadStream } from './upload-stream.ts';

const uploads = fullSize ? 1_000 : 250;
/**
 * They end one after another over this time. Each ends with a transaction of its own: if all of them came in the same
 * second, on two processors that other tests use too, some would be put off.
 */
const endingSeconds = fullSize ? 1 : 15;
const crowds = fullSize
  ? [
      { readers: 2_000, bytesPerSecond: 20_000, processes: 1 },
      { readers: 10_000, bytesPerSecond: 4_000, processes: 2 },
    ]
  : [{ readers: 500, bytesPerSecond: 20_000, processes: 1 }];
const seconds = fullSize ? 180 : 45;
const timeout = (seconds + 240) * 1000;

let serve: OwnServe;
let sender: Client;
let receiver: Client;
beforeAll(async () => {
  serve = await ownServe({});
  const { baseUrl } = serve;
  [sender, receiver] = [await freshClient('slow-sender', { baseUrl }), await freshClient('slow-receiver', { baseUrl })];
  await introduce(sender, [receiver.user]);
});
afterAll(() => serve.stop());

test(`${uploads} uploads at 2 KiB/s: each is taken, none costs much, and a fast one beside them is not held up`, {
  timeout,
}, async () => {
  const content = new Keystream(randomBytes(16).toString('hex'));
  const fastBytes = (fullSize ? 256 : 64) * 1024 ** 2;
  const fast = (name: string) => timed(() => uploadStream(sender.inDraft('fast'), name, content, fastBytes));
  await fast('warm-up.bin');
  const usualMs = Math.max(await fast('usual.bin'), await fast('usual.bin'));
  const before = memoryMiB(serve.pid);

  let max = 0;
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      max = Math.max(max, memoryMiB(serve.pid));
      await pause(200);
    }
  })();
  const trickling = await Promise.all(Array.from({ length: uploads }, (_, number) => trickle(sender, number)));
  // Once all of them have begun.
  await eventually('all uploads are in progress', async () =>
    trickling.every(({ hasBegun }) => hasBegun()) ? true : undefined,
  );
  const besideMs = await fast('beside.bin');
  const responses = await Promise.all(trickling.map((upload) => upload.pendingResponse));
  over.abort();
  await watching;
  const grown = Math.round(max - before);
  report(
    `${uploads} uploads for ${seconds} s: memory grew by ${grown} MiB; ${fastBytes / 1024 ** 2} MiB beside them took ${(besideMs / usualMs).toFixed(2)} of the usual time`,
  );
  expect(counted(responses)).toEqual({ '200 {"status":"done"}': uploads });
  expect(grown).toBeLessThan(256);
  // Other tests run at the same time, unless this one runs at full size.
  if (fullSize) expect(besideMs).toBeLessThan(2 * usualMs);
});

test.each(crowds)(
  '$readers readers at $bytesPerSecond B/s on $processes process(es): each gets its bytes, and others their responses',
  {
    timeout,
  },
  async ({ readers, bytesPerSecond, processes }) => {
    if (fullSize) requireBoundedBuffers();
    const original = new Keystream(randomBytes(16).toString('hex'));
    const sizeBytes = 20_000_000;
    succeeded(await sender.setReceivers([{ email: receiver.user }]));
    succeeded(await sender.files());
    await uploadStream(sender, 'slow.bin', original, sizeBytes);
    succeeded(await sender.createDrop({ ddmessage: 'slow' }));
    const inbox = (await receiver.readHistory()).inbox[0]?.url ?? '';

    await using others = new AsyncDisposableStack();
    const serves = [serve];
    while (serves.length < processes) {
      const other = await ownServe({});
      others.defer(() => other.stop());
      serves.push(other);
    }
    const through = serves.map(({ baseUrl }) => receiver.through(baseUrl));
    await probed(sender, 2_000); // warming up
    const idle = await probed(sender, 5_000);
    using probe = await startProbe(sender);
    const expected = original.bytes(0, sizeBytes);
    const outcomes = await Promise.all(
      Array.from({ length: readers }, (_, number) =>
        readSlowly(through[number % processes] as Client, `${inbox}/files/slow.bin`, expected, bytesPerSecond, seconds),
      ),
    );
    const busy = await probe.stop();
    const memory = Math.max(...serves.map(({ pid }) => peakMemoryMiB(pid)));
    report(
      `${readers} readers at ${bytesPerSecond} B/s for ${seconds} s on ${processes} process(es): at most ${memory.toFixed(0)} MiB each; contacts_read p99 ${percentile(idle, 0.99).toFixed(1)} ms idle, ${percentile(busy, 0.99).toFixed(1)} ms beside them (${busy.length} requests, slowest ${Math.max(...busy).toFixed(1)} ms)`,
    );
    expect(counted(outcomes)).toEqual({ served: readers });
    expect(memory).toBeLessThan(1.2 * 1024);
    // On two cores shared with the store and the clients; see docs/reliability.md.
    if (fullSize) expect(percentile(busy, 0.99)).toBeLessThan(3 * percentile(idle, 0.99) + 500);
  },
);

/** An upload that sends 2 KiB per second. */
async function trickle(
  client: Client,
  number: number,
): Promise<{ pendingResponse: Promise<string>; hasBegun: () => boolean }> {
  const boundary = 'waybill-trickle';
  const head = [
    `--${boundary}\r\nContent-Disposition: form-data; name="do"\r\n\r\nupload\r\n`,
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${number}.bin"\r\n\r\n`,
  ].join('');
  const tail = `\r\n--${boundary}--\r\n`;
  const drop = Buffer.alloc(2048, number % 251);
  const ownSeconds = seconds - (number % endingSeconds);
  const { outgoing, pendingResponse } = await openRequest(client, 'POST', 'cgi/upload.cgi', {
    'Waybill-Draft': `trickle-${number % 10}`,
    'Content-Type': `multipart/form-data; boundary=${boundary}`,
    'Content-Length': String(head.length + drop.length * ownSeconds + tail.length),
    // The server asks for the body when it is the upload's turn.
    Expect: '100-continue',
  });
  let begun = false;
  void Promise.race([once(outgoing, 'continue'), pendingResponse])
    .catch(() => undefined)
    .then(() => (begun = true));
  outgoing.flushHeaders();
  const sending = (async () => {
    await Promise.race([once(outgoing, 'continue'), pendingResponse]);
    outgoing.write(head);
    for (let second = 0; second < ownSeconds; second += 1) {
      await pause(1_000);
      outgoing.write(drop);
    }
    outgoing.end(tail);
  })();
  const finished = async () => {
    const response = await pendingResponse;
    const body = await text(response);
    await sending;
    return `${response.statusCode} ${body}`;
  };
  return { pendingResponse: finished().catch((error: Error) => error.message), hasBegun: () => begun };
}

/** Reads at a certain speed for a certain time, and compares what arrives. */
async function readSlowly(
  client: Client,
  path: string,
  expected: Buffer,
  bytesPerSecond: number,
  forSeconds: number,
): Promise<string> {
  const response = await openResponse(client, path).catch((error: Error) => error);
  if (response instanceof Error) return `no response: ${response.message}`;
  if (response.statusCode !== 200) return `${response.statusCode} ${await text(response)}`;
  let read = 0;
  try {
    for (let second = 0; second < forSeconds; second += 1) {
      const until = (second + 1) * bytesPerSecond;
      const deadline = AbortSignal.timeout(15_000);
      while (read < until) {
        const bytes = response.read(Math.min(until - read, response.readableLength || 1)) as Buffer | null;
        if (bytes === null) {
          await once(response, 'readable', { signal: deadline });
          continue;
        }
        if (!expected.subarray(read, read + bytes.length).equals(bytes)) return `other bytes after ${read}`;
        read += bytes.length;
      }
      await pause(1_000);
    }
    return 'served';
  } catch (error) {
    return `stopped after ${read} bytes: ${(error as Error).message}`;
  } finally {
    response.destroy();
  }
}

function counted(outcomes: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    Object.entries(Object.groupBy(outcomes, (outcome) => outcome)).map(([outcome, all]) => [outcome, all?.length ?? 0]),
  );
}

/** With the kernel's defaults, so many readers on the same machine use up its memory for TCP, and it drops packets. */
function requireBoundedBuffers(): void {
  if (Number(readFileSync('/proc/sys/net/ipv4/tcp_notsent_lowat', 'utf8')) > 1024 ** 2) {
    throw new Error('Limit the buffers of connections first: see docs/reliability.md, "Many slow peers".');
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function report(line: string): void {
  process.stdout.write(`slow peers: ${line}\n`);
}
