// An upload that takes longer than its lease, while sweeps follow one another: no part of it is swept.
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import { multipart, uploadParts } from '../lib/http/multipart.ts';
import { openRequest } from '../lib/http/stream.ts';
import { deliver } from '../lib/scenario.ts';
import { sweep } from '../lib/servers/exchange-internals.ts';
import { type OwnServe, ownServe } from '../lib/servers/own-serve.ts';

const leaseSeconds = 2;
const chunkBytes = 8 * 1024 * 1024;
let serve: OwnServe;

beforeAll(async () => {
  serve = await ownServe({ WAYBILL_UPLOAD_LEASE_SECONDS: String(leaseSeconds) });
});
afterAll(() => serve.stop());

test('an upload that takes four times its lease is not swept, and keeps every byte', { timeout: 120_000 }, async () => {
  const client = (await freshClient('slow')).through(serve.baseUrl);
  const receiver = await freshClient('receiver');
  const content = Buffer.alloc(2 * chunkBytes + 1000, 'slow upload ');
  const { contentType, body } = multipart(uploadParts([{ name: 'slow.bin', content }]));
  const { outgoing, pendingResponse } = await openRequest(client, 'POST', 'cgi/upload.cgi', {
    'Content-Type': contentType,
    'Content-Length': String(body.length),
  });
  const sent = new AbortController();
  const sweeping = (async () => {
    while (!sent.signal.aborted) {
      await sweep();
      await pause(500);
    }
  })();
  const pieces = 40;
  for (let piece = 0; piece < pieces; piece++) {
    const at = (share: number) => Math.floor((body.length * share) / pieces);
    if (!outgoing.write(body.subarray(at(piece), at(piece + 1)))) await once(outgoing, 'drain');
    // The test is about the speed.
    await pause((leaseSeconds * 4 * 1000) / pieces);
  }
  outgoing.end();
  const response = await pendingResponse;
  expect({ status: response.statusCode, body: await text(response) }).toEqual({
    status: 200,
    body: '{"status":"done"}',
  });
  sent.abort();
  await sweeping;
  await sweep();
  const entry = await deliver(client, receiver, []);
  expect((await receiver.download(entry.url, 'slow.bin')).body.equals(content)).toBe(true);
});
