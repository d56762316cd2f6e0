import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { collect } from '../testing/collect.ts';
import { type ReceivedRequest, WireServer } from '../testing/wire-server.ts';

const content = randomBytes(3_000_000);
const file = { entry: '01a1dc97', id: 'f1', name: 'räport 1.bin', path: 'räport 1.bin' };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'client-download-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface FileServerOptions {
  /** After how many bytes each response is cut off, in order. Later responses are complete. */
  cuts?: number[];
  /** The bytes to send instead of those that the digest promises. */
  sent?: Buffer;
}

async function fileServer({ cuts = [], sent = content }: FileServerOptions = {}): Promise<WireServer> {
  return await WireServer.start((seen, response, request) => {
    const { start } = head(seen, response);
    const cut = cuts.shift();
    if (cut === undefined) response.end(sent.subarray(start));
    else response.write(sent.subarray(start, start + cut), () => request.socket.destroy());
  });
}

function head(seen: ReceivedRequest, response: ServerResponse): { start: number } {
  const digest = createHash('sha256').update(content).digest('base64');
  const [, from] = /^bytes=(\d+)-$/.exec(seen.headers.range ?? '') ?? [];
  const start = Number(from ?? 0);
  if (start > 0) response.setHeader('Content-Range', `bytes ${start}-${content.length - 1}/${content.length}`);
  response.writeHead(start > 0 ? 206 : 200, {
    ETag: `"${digest}"`,
    'Repr-Digest': `sha-256=:${digest}:`,
    'Content-Length': content.length - start,
  });
  return { start };
}

test('a file gets its name when it is complete, and no other file is left', async () => {
  await using server = await fileServer();
  const path = join(folder, 'report.bin');
  const received: number[] = [];
  const downloaded = await server.client().downloadToFile(file, path, {
    onProgress: ({ receivedBytes, totalBytes }) => {
      expect(totalBytes).toBe(content.length);
      expect(readdirSync(folder)).not.toContain('report.bin');
      received.push(receivedBytes);
    },
  });
  expect(downloaded).toEqual({
    path,
    size: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  });
  expect(readFileSync(path).equals(content)).toBe(true);
  expect(readdirSync(folder)).toEqual(['report.bin']);
  expect(received.at(-1)).toBe(content.length);
  expect(server.paths()).toContain('GET inbox/01a1dc97/files/f1');
});

test('a download resumes where its connection broke', async () => {
  await using server = await fileServer({ cuts: [1_000_000, 1, 500_000, 0, 700_000] });
  await server.client().downloadToFile(file, join(folder, 'report.bin'));
  expect(readFileSync(join(folder, 'report.bin')).equals(content)).toBe(true);
  const asked = server.requests.map(({ headers }) => [headers.range, headers['if-range'] !== undefined]);
  expect(asked[0]).toEqual([undefined, false]);
  expect(asked.at(-1)).toEqual([expect.stringMatching(/^bytes=\d+-$/), true]);
});

test('a download that makes no progress fails, and leaves no file', async () => {
  await using server = await fileServer({ cuts: [1_000_000, ...Array.from({ length: 50 }, () => 0)] });
  const downloading = server.client({ retry: { maxAttempts: 4 } }).downloadToFile(file, join(folder, 'a'));
  await expect(downloading).rejects.toMatchObject({ code: 'unreachable' });
  expect(readdirSync(folder)).toEqual([]);
});

test('bytes that do not match the digest never get the name', async () => {
  const altered = Buffer.from(content);
  altered[1_234_567] = (altered[1_234_567] ?? 0) ^ 1;
  await using server = await fileServer({ sent: altered });
  const downloading = server.client().downloadToFile(file, join(folder, 'a'));
  await expect(downloading).rejects.toMatchObject({ code: 'digest_mismatch' });
  expect(readdirSync(folder)).toEqual([]);
  const { bytes } = await server.client().download(file);
  await expect(collect(bytes)).rejects.toMatchObject({ code: 'digest_mismatch' });
});

test('a stream contains all bytes, also if a connection breaks', async () => {
  await using server = await fileServer({ cuts: [2_000_000] });
  const { bytes, size, name } = await server.client().download(file);
  expect({ size, name }).toEqual({ size: content.length, name: file.name });
  expect(Buffer.concat(await collect(bytes)).equals(content)).toBe(true);
});

test.each([0, 1, 1_500_000, content.length])('an existing part of %i bytes is continued', async (bytes) => {
  await using server = await fileServer();
  const part = join(folder, 'part');
  writeFileSync(part, content.subarray(0, bytes));
  await server.client().downloadPart(file, part);
  expect(readFileSync(part).equals(content)).toBe(true);
  const ranges = server.requests.map(({ headers }) => headers.range);
  expect(ranges).toEqual([bytes > 1 ? `bytes=${bytes - 1}-` : undefined]);
});

test('a part of another file is downloaded again', async () => {
  await using server = await fileServer();
  const part = join(folder, 'part');
  writeFileSync(part, randomBytes(1_000_000));
  await server.client().downloadPart(file, part);
  expect(readFileSync(part).equals(content)).toBe(true);
});

test('an existing file is replaced only on demand', async () => {
  await using server = await fileServer();
  const path = join(folder, 'a');
  writeFileSync(path, 'mine');
  await expect(server.client().downloadToFile(file, path)).rejects.toMatchObject({ code: 'target_exists' });
  expect(readFileSync(path, 'utf8')).toBe('mine');
  await server.client().downloadToFile(file, path, { overwrite: true });
  expect(readFileSync(path).equals(content)).toBe(true);
  // Created during the download.
  const late = join(folder, 'late');
  const downloading = server.client().downloadToFile(file, late, { onProgress: () => writeFileSync(late, 'mine') });
  await expect(downloading).rejects.toMatchObject({ code: 'target_exists' });
  expect(readFileSync(late, 'utf8')).toBe('mine');
});

test('an abort ends a download, and leaves no file', async () => {
  await using server = await fileServer();
  const controller = new AbortController();
  const downloading = server.client().downloadToFile(file, join(folder, 'a'), {
    signal: controller.signal,
    onProgress: ({ receivedBytes }) => {
      if (receivedBytes > 0) controller.abort(new Error('enough'));
    },
  });
  await expect(downloading).rejects.toThrow('enough');
  expect(readdirSync(folder)).toEqual([]);
});
