import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { UploadProgress } from './draft.ts';
import type { FileToSend } from './sources.ts';
import { fail, type Seen, succeed, WireServer } from './testing/wire-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'client-draft-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A form as a receiver of it sees it; latin1 keeps every byte. */
async function formOf({ headers, body }: Seen): Promise<{ do: unknown; name: string; type: string; content: Buffer }> {
  const request = new Request('http://localhost/', {
    method: 'POST',
    headers: { 'Content-Type': String(headers['content-type']) },
    body: Uint8Array.from(body),
  });
  const form = await request.formData();
  const file = form.get('file') as File;
  return { do: form.get('do'), name: file.name, type: file.type, content: Buffer.from(await file.arrayBuffer()) };
}

async function uploaded(server: WireServer) {
  const last = server.seen.findLast(({ path }) => path === 'cgi/upload.cgi');
  if (last === undefined) throw new Error('nothing was uploaded');
  return await formOf(last);
}

const done = (_seen: unknown, response: ServerResponse) => succeed(response, { status: 'done' });

async function* pieces(...content: Buffer[]): AsyncGenerator<Uint8Array> {
  yield* content;
}

test('a file arrives with its name, type and bytes, from wherever it is read', async () => {
  await using server = await WireServer.start(done);
  const content = randomBytes(3 * 1024 * 1024 + 17);
  const path = join(folder, 'päth.bin');
  writeFileSync(path, content);
  const files: [FileToSend, string][] = [
    [path, 'päth.bin'],
    [{ path, name: 'other.bin' }, 'other.bin'],
    [{ name: 'bytes', content }, 'bytes'],
    [{ name: 'blob', content: new Blob([content]) }, 'blob'],
    [{ name: 'open', open: () => [content.subarray(0, 10), content.subarray(10)] }, 'open'],
    [{ name: 'stream', stream: pieces(content.subarray(0, 10), content.subarray(10)) }, 'stream'],
    [{ name: 'web', stream: new Blob([content]).stream() as unknown as AsyncIterable<Uint8Array> }, 'web'],
  ];
  for (const [file, name] of files) {
    const progress: UploadProgress[] = [];
    await server
      .client()
      .draft()
      .upload(file, { onProgress: (step) => progress.push(step) });
    const form = await uploaded(server);
    expect(form).toMatchObject({ do: 'upload', name, type: 'application/octet-stream' });
    expect(form.content.equals(content)).toBe(true);
    expect(progress[0]).toMatchObject({ name, sentBytes: 0 });
    expect(progress.at(-1)).toMatchObject({ name, sentBytes: content.length });
  }
});

test('the length is announced where it is known, and the draft where it has a name', async () => {
  await using server = await WireServer.start(done);
  await server.client().draft('worker-1').upload({ name: 'a', content: 'abc', type: 'text/csv' });
  const [, request] = server.seen;
  expect(request?.headers).toMatchObject({
    'waybill-draft': 'worker-1',
    'content-length': String(request?.body.length),
  });
  expect(await uploaded(server)).toMatchObject({ type: 'text/csv' });
  await server
    .client()
    .draft()
    .upload({ name: 'a', stream: pieces(Buffer.from('abc')) });
  expect(server.seen.at(-1)?.headers).toMatchObject({ 'transfer-encoding': 'chunked' });
  expect(server.seen.at(-1)?.headers).not.toHaveProperty('waybill-draft');
});

test('an upload that was refused for its token or broke off is made again, with all of its bytes', async () => {
  const content = randomBytes(200_000);
  let times = 0;
  await using server = await WireServer.start((_seen, response, request) => {
    times += 1;
    if (times === 1) request.socket.destroy();
    else if (times === 2) fail(response, 503, 'unavailable');
    else succeed(response, { status: 'done' });
  });
  const client = server.client();
  await client
    .draft()
    .upload({ name: 'first', content: '' })
    .catch(() => undefined);
  times = 0;
  server.tokens.clear();
  await client.draft().upload({ name: 'a', stream: pieces(content.subarray(0, 7), content.subarray(7)) });
  expect((await uploaded(server)).content.equals(content)).toBe(true);
  expect(server.seen.filter(({ path }) => path === 'cgi/upload.cgi').length).toBeGreaterThan(3);
});

test('a refusal is heard while the source has nothing more to give, and no byte of it is lost', async () => {
  await using server = await WireServer.start(done);
  const client = server.client();
  await client.draft().upload({ name: 'first', content: 'x' });
  const more = Promise.withResolvers<void>();
  async function* slow(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('begin');
    await more.promise;
    yield Buffer.from('-end');
  }
  let refused = false;
  server.beforeBody((request, response) => {
    if (request.method !== 'POST' || refused) return false;
    refused = true;
    fail(response, 403, 'csrf_rejected');
    return true;
  });
  // The next token is asked for only by who has heard the refusal.
  const uploading = client.draft().upload({ name: 'slow', stream: slow() });
  await expect.poll(() => server.minted).toBe(2);
  more.resolve();
  await uploading;
  expect((await uploaded(server)).content.toString()).toBe('begin-end');
});

test('a stream of which too much is gone is not sent again in part', async () => {
  await using server = await WireServer.start((_seen, response) => fail(response, 503, 'unavailable'));
  const large = Array.from({ length: 6 }, () => Buffer.alloc(1024 * 1024));
  const uploading = server
    .client()
    .draft()
    .upload({ name: 'a', stream: pieces(...large) });
  await expect(uploading).rejects.toMatchObject({ code: 'unavailable' });
  expect(server.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
});

test('a source that is shorter or longer than announced is an error, not a wrong file', async () => {
  await using server = await WireServer.start(done);
  for (const sizeBytes of [2, 4]) {
    const file = { name: 'a', open: () => [Buffer.from('abc')], sizeBytes };
    await expect(server.client().draft().upload(file)).rejects.toMatchObject({ code: 'source_failed' });
  }
  const path = join(folder, 'shrinking');
  writeFileSync(path, Buffer.alloc(8 * 1024 * 1024));
  const shrink = ({ sentBytes }: UploadProgress) => {
    if (sentBytes > 0) truncateSync(path, 1024 * 1024);
  };
  await expect(server.client().draft().upload(path, { onProgress: shrink })).rejects.toThrow(
    'changed while it was being sent',
  );
  expect(server.seen.filter(({ method }) => method === 'POST')).toEqual([]);
});

test('what cannot be read is told with its name', async () => {
  await using server = await WireServer.start(done);
  const draft = server.client().draft();
  await expect(draft.upload(join(folder, 'nowhere'))).rejects.toThrow(/nowhere cannot be read/);
  await expect(draft.upload(folder)).rejects.toThrow('is a folder');
  const failing = { name: 'tape', open: brokenTape };
  await expect(draft.upload(failing)).rejects.toThrow('tape could not be read completely: torn.');
});

async function* brokenTape(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('a');
  throw new Error('torn');
}

test('a name cannot write headers', async () => {
  await using server = await WireServer.start(done);
  const draft = server.client().draft();
  await expect(draft.upload({ name: 'a\r\nX: y', content: '' })).rejects.toMatchObject({ code: 'invalid_name' });
  await draft.upload({ name: 'a"; filename="b', content: '' });
  expect(server.seen.at(-1)?.body.toString()).toContain('filename="a\\"; filename=\\"b"');
});

test('an abort ends an upload', async () => {
  await using server = await WireServer.start(done);
  const controller = new AbortController();
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) yield Buffer.alloc(64 * 1024);
  }
  const uploading = server
    .client()
    .draft()
    .upload(
      { name: 'endless', open: endless },
      {
        signal: controller.signal,
        onProgress: ({ sentBytes }) => {
          if (sentBytes > 1024 * 1024) controller.abort(new Error('enough'));
        },
      },
    );
  await expect(uploading).rejects.toThrow('enough');
});

test('a refusal of a file names the file, once', async () => {
  let message = 'The virus scanner refused the file.';
  await using server = await WireServer.start((_seen, response) => {
    response.writeHead(422, { 'Content-Type': 'application/json', 'X-Request-Id': 'request-1' });
    response.end(JSON.stringify({ status: 'error', code: 'infected', message }));
  });
  const upload = () => server.client().draft('d').upload({ name: 'a.txt', content: 'a' });
  const expected = { code: 'infected', status: 422, requestId: 'request-1' };
  await expect(upload()).rejects.toMatchObject({ ...expected, message: 'a.txt: The virus scanner refused the file.' });
  message = 'The virus scanner refused a.txt.';
  await expect(upload()).rejects.toMatchObject({ ...expected, message });
});
