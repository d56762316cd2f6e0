import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { account } from '../testing/example-server.ts';
import { FakeExchange } from '../testing/fake-exchange.ts';
import type { SentFile } from './send.ts';
import type { FileToSend } from './sources.ts';

const folder = mkdtempSync(join(tmpdir(), 'client-send-'));
afterAll(() => rmSync(folder, { recursive: true }));

const chunkBytes = 8 * 1024 * 1024;
const large = randomBytes(2 * chunkBytes + 4_321);
const largePath = join(folder, 'large.bin');
writeFileSync(largePath, large);
const to = ['a@example.org'];
const files = [
  { name: 'a.txt', content: 'a' },
  { name: 'b.txt', content: 'b' },
];

test('a send creates one drop of its uploads', async () => {
  await using exchange = await FakeExchange.start();
  const receivers = ['a@example.org', { email: 'b@example.org', language: 'sv' }];
  const sent = await exchange.server.client().send({ files, to: receivers, message: 'Hello', days: 3, notify: false });
  expect(exchange.drops).toMatchObject([
    {
      request: {
        receivers: [{ email: 'a@example.org' }, { email: 'b@example.org', language: 'sv' }],
        message: 'Hello',
      },
      files: ['a.txt', 'b.txt'],
    },
  ]);
  expect(exchange.drops[0]?.request).toMatchObject({ expires_in: 259_200, notify: false });
  expect(sent).toMatchObject({ repeated: false, drop: { reference: 'WB-0000-0001' } });
  expect(sent.drop.receivers[0]?.link).toBe('https://files.example.org/d/0');
  expect(sent.files).toMatchObject([
    { path: 'a.txt', size: 1, scan: 'clean' },
    { path: 'b.txt', size: 1, scan: 'clean' },
  ]);
});

describe('before the first byte, a send checks', () => {
  test('the receivers', async () => {
    await using exchange = await FakeExchange.start();
    const sending = exchange.server.client().send({ files: [largePath], to: ['a@example.invalid'] });
    await expect(sending).rejects.toMatchObject({ code: 'recipient_not_allowed' });
    expect(exchange.server.paths().filter((path) => path !== 'GET account')).toEqual(['POST drops/check']);
  });

  test.each([
    ['the size of each file', { file_size: 3, file_size_reason: 'scan' }, 'too_large_to_scan', 3],
    ['the size of each file', { file_size: 3, file_size_reason: 'file' }, 'too_large', 3],
    ['the size of all files', { stored_size: 7 }, 'storage_full', undefined],
    ['the number of files', { files_per_drop: 1 }, 'too_many_files', undefined],
  ] as const)('%s (%j)', async (_what, limits, code, maxSize) => {
    await using exchange = await FakeExchange.start();
    exchange.account = { ...account, limits: { ...account.limits, ...limits } };
    const content = { files: ['aa', 'bbbbbb'].map((text, index) => ({ name: `${index}.txt`, content: text })), to };
    await expect(exchange.server.client().send(content)).rejects.toMatchObject({ code, maxSize });
    await expect(exchange.server.client().checkSend(content)).rejects.toMatchObject({ code });
    expect(exchange.received).toEqual([]);
  });

  test('the limit of the day, unless the drop may have been sent before it was reached', async () => {
    await using exchange = await FakeExchange.start();
    const client = exchange.server.client();
    const once = { files, to, idempotencyKey: 'nightly' };
    await client.send(once);
    exchange.dailyLimitReached = true;
    await expect(client.send({ files, to })).rejects.toMatchObject({ code: 'daily_limit' });
    expect(await client.send(once)).toMatchObject({ repeated: true });
    expect(exchange.drops).toHaveLength(1);
  });
});

async function* pieces(...content: Buffer[]): AsyncGenerator<Uint8Array> {
  yield* content;
}

test.each<[string, (content: Buffer) => FileToSend]>([
  ['a path', (content) => pathWith(content)],
  ['memory', (content) => ({ name: 'f', content })],
  ['a Blob', (content) => ({ name: 'f', content: new Blob([new Uint8Array(content)]) })],
  ['a function', (content) => ({ name: 'f', open: () => [content.subarray(0, 10), content.subarray(10)] })],
  ['a stream', (content) => ({ name: 'f', stream: pieces(content.subarray(0, 10), content.subarray(10)) })],
])('a file from %s arrives with its bytes, small or large', async (_from, file) => {
  const spools = () => readdirSync(tmpdir()).filter((name) => name.startsWith('waybill-spool-')).length;
  const before = spools();
  for (const content of [Buffer.alloc(0), large.subarray(0, 1_000), large]) {
    await using exchange = await FakeExchange.start();
    const { id, path } = await exchange.server.client().uploads.upload(file(content), { idempotencyKey: 'u' });
    expect(path).toBe('f');
    expect(exchange.uploads.get(id)?.bytes.equals(content)).toBe(true);
  }
  expect(spools()).toBe(before);
});

function pathWith(content: Buffer): FileToSend {
  const path = join(folder, 'from-path');
  writeFileSync(path, content);
  return { path, name: 'f' };
}

test('a name with any characters is preserved, and cannot inject headers', async () => {
  await using exchange = await FakeExchange.start();
  const name = 'Ä "quoted" (1) *\r\nX: y; 100%.txt';
  for (const content of ['x', large]) await exchange.server.client().uploads.upload({ name, content });
  expect([...exchange.uploads.values()].map(({ path }) => path)).toEqual([name, name]);
});

const sizes = (exchange: FakeExchange) => exchange.received.map(({ offset, bytes }) => [offset, bytes]);

test('a large file is sent in one request, and resumed from the server’s offset after a failure', async () => {
  await using exchange = await FakeExchange.start();
  const { id } = await exchange.server.client().uploads.upload(largePath);
  expect(exchange.uploads.get(id)?.bytes.equals(large)).toBe(true);
  expect(sizes(exchange)).toEqual([[0, large.length]]);

  const fates = ['not arrived', 'cut off', 'cut off', 'response lost'] as const;
  await using troubled = await FakeExchange.start();
  let requests = 0;
  troubled.fate = ({ method }) => (method === 'PATCH' ? (fates[requests++] ?? 'responded') : 'responded');
  const reports: number[] = [];
  const onProgress = ({ sentBytes }: { sentBytes: number }) => reports.push(sentBytes);
  const second = await troubled.server.client({ retry: { maxAttempts: 3 } }).uploads.upload(largePath, { onProgress });
  expect(troubled.uploads.get(second.id)?.bytes.equals(large)).toBe(true);
  expect(sizes(troubled)).toEqual([
    [0, chunkBytes],
    [chunkBytes, chunkBytes],
    [2 * chunkBytes, 4_321],
  ]);
  expect(reports.at(-1)).toBe(large.length);
});

test('sends one chunk at a time through a proxy that refuses large requests', async () => {
  await using exchange = await FakeExchange.start();
  exchange.server.beforeBody((request, response) => {
    if (Number(request.headers['content-length'] ?? 0) <= chunkBytes) return false;
    response.writeHead(413, { 'Content-Type': 'text/html', Connection: 'close' }).end('<h1>Too large</h1>');
    return true;
  });
  const { id } = await exchange.server.client({ retry: { maxAttempts: 1 } }).uploads.upload(largePath);
  expect(exchange.uploads.get(id)?.bytes.equals(large)).toBe(true);
  expect(sizes(exchange).map(([, bytes]) => bytes)).toEqual([chunkBytes, chunkBytes, 4_321]);
});

test('another process with the same key resumes an upload, and checks the whole file', async () => {
  await using exchange = await FakeExchange.start();
  exchange.fate = ({ method }) => (method === 'PATCH' ? 'cut off' : 'responded');
  const impatient = exchange.server.client({ retry: { maxAttempts: 1 } });
  const send = { files: [largePath], to, idempotencyKey: 'night of 1 May' };
  await expect(impatient.send(send)).rejects.toMatchObject({ code: 'unreachable' });
  exchange.fate = () => 'responded';
  expect(await exchange.server.client().send(send)).toMatchObject({ repeated: false });
  expect(exchange.received.map(({ offset }) => offset)).toEqual([0, chunkBytes]);
  expect(exchange.drops).toHaveLength(1);
});

test('detects that the stored part belongs to another file', async () => {
  await using exchange = await FakeExchange.start();
  exchange.fate = ({ method }) => (method === 'PATCH' ? 'cut off' : 'responded');
  const file = (content: Buffer) => ({ files: [{ name: 'f', content }], to, idempotencyKey: 'key' });
  const impatient = exchange.server.client({ retry: { maxAttempts: 1 } });
  await expect(impatient.send(file(large))).rejects.toMatchObject({ code: 'unreachable' });
  exchange.fate = () => 'responded';
  const other = Buffer.from(large);
  other.writeUInt8(other.readUInt8(5) ^ 1, 5);
  await expect(exchange.server.client().send(file(other))).rejects.toMatchObject({ code: 'digest_mismatch' });
  expect(exchange.uploads.size).toBe(0);
  await exchange.server.client().send(file(other));
  expect(exchange.drops).toHaveLength(1);
});

test('a send whose response was lost, or that is repeated with its key, creates one drop', async () => {
  await using exchange = await FakeExchange.start();
  let lost = 0;
  exchange.fate = ({ path }) => (path === 'drops' && lost++ < 3 ? 'response lost' : 'responded');
  const send = { files: [...files, largePath], to, idempotencyKey: 'once' };
  await exchange.server.client().send(send);
  const before = exchange.received.length;
  expect(await exchange.server.client().send(send)).toMatchObject({
    repeated: true,
    drop: { reference: 'WB-0000-0001' },
  });
  expect(exchange.drops).toHaveLength(1);
  expect(exchange.received).toHaveLength(before);
  const changed = exchange.server.client().send({ ...send, message: 'another' });
  await expect(changed).rejects.toMatchObject({ code: 'idempotency_key_reused' });
});

test('a send can wait for the receivers', async () => {
  await using exchange = await FakeExchange.start();
  exchange.receiverStates = ['completed', 'revoked'];
  const { completion } = await exchange.server.client().send({ files, to, waitFor: 'completed' });
  expect(completion).toMatchObject({ completed: true, drop: { state: 'live' } });
  exchange.receiverStates = ['opened'];
  const late = await exchange.server.client().send({ files, to, waitFor: 'completed', timeoutSeconds: 0 });
  expect(late.completion?.completed).toBe(false);
});

test('a file that changed after an interrupted send is uploaded again', async () => {
  await using exchange = await FakeExchange.start();
  const torn: FileToSend = {
    name: 'torn',
    open: () => {
      throw new Error('torn');
    },
  };
  const send = { to, idempotencyKey: 'key' };
  const first = exchange.server.client().send({ ...send, files: [{ name: 'a', content: '1' }, torn] });
  await expect(first).rejects.toMatchObject({ code: 'source_failed' });
  await exchange.server.client().send({ ...send, files: [{ name: 'a', content: '12' }] });
  expect(exchange.drops).toMatchObject([{ files: ['a'] }]);
  expect(exchange.received.at(-1)).toMatchObject({ path: 'a', bytes: 2 });
});

test('a stream that differs from that of an interrupted send is read once, and arrives', async () => {
  for (const content of [large.subarray(0, 1_000), large]) {
    await using exchange = await FakeExchange.start();
    const client = exchange.server.client({ retry: { maxAttempts: 1 } });
    const send = (bytes: Buffer) => ({ files: [{ name: 's', stream: pieces(bytes) }], to, idempotencyKey: 'key' });
    exchange.fate = ({ path }) => (path === 'drops' ? 'not arrived' : 'responded');
    await expect(client.send(send(Buffer.from('earlier')))).rejects.toMatchObject({ code: 'unreachable' });
    exchange.fate = () => 'responded';
    const { files: sent } = await client.send(send(content));
    expect(sent).toMatchObject([{ path: 's', size: content.length }]);
    expect(exchange.drops.map((drop) => drop.contents)).toEqual([[content.toString()]]);
  }
});

test.each<[string, () => FileToSend]>([
  ['a stream', () => ({ name: 's', stream: pieces(Buffer.from('content')) })],
  [
    'a function that returns the same stream',
    () => ({
      name: 's',
      open: (
        (stream) => () =>
          stream
      )(pieces(Buffer.from('content'))),
    }),
  ],
  ['a pipe', () => ({ path: pipeWith('content'), name: 's' })],
])('%s whose upload was removed is not sent as an empty file', async (_what, file) => {
  await using exchange = await FakeExchange.start();
  exchange.fate = ({ path }) => (path === 'drops' ? 'not arrived' : 'responded');
  const client = exchange.server.client({ retry: { maxAttempts: 1 } });
  await expect(client.send({ files: [file()], to, idempotencyKey: 'key' })).rejects.toMatchObject({
    code: 'unreachable',
  });
  exchange.fate = () => 'responded';
  exchange.uploads.clear();
  const again = client.send({ files: [file()], to, idempotencyKey: 'key' });
  await expect(again).rejects.toMatchObject({
    code: 'source_failed',
    message: 's can be read only once. Send it again with another idempotency key.',
  });
  expect(exchange.drops).toEqual([]);
});

/** Returns the path of a pipe that another process writes to, as the shell's <(…). */
function pipeWith(content: string): string {
  const path = join(mkdtempSync(join(folder, 'pipe-')), 'pipe');
  execFileSync('mkfifo', [path]);
  execFile('sh', ['-c', `printf %s ${content} > ${path}`]);
  return path;
}

test('an array of bytes can be sent again', async () => {
  await using exchange = await FakeExchange.start();
  const client = exchange.server.client();
  const array = [{ name: 's', stream: [Buffer.from('content')] }];
  await client.send({ files: array, to });
  await client.send({ files: array, to });
  expect(exchange.drops.map(({ contents }) => contents)).toEqual([['content'], ['content']]);
});

test('stored uploads are reused, unless the server has removed them', async () => {
  await using exchange = await FakeExchange.start();
  const kept = new Map<string, SentFile>();
  const uploadStore = {
    get: (path: string) => kept.get(path),
    save: async (file: SentFile) => void kept.set(file.path, file),
  };
  exchange.fate = ({ path }) => (path === 'drops' ? 'not arrived' : 'responded');
  const send = { files, to, idempotencyKey: 'key', uploadStore };
  await expect(exchange.server.client({ retry: { maxAttempts: 1 } }).send(send)).rejects.toThrow();
  expect([...kept.keys()].toSorted()).toEqual(['a.txt', 'b.txt']);
  const before = exchange.received.length;
  await expect(exchange.server.client({ retry: { maxAttempts: 1 } }).send(send)).rejects.toThrow();
  expect(exchange.received).toHaveLength(before);
  exchange.fate = () => 'responded';
  exchange.uploads.clear();
  await exchange.server.client().send(send);
  expect(exchange.drops).toMatchObject([{ files: ['a.txt', 'b.txt'] }]);
});

test('a refused file is named in the error, and removed', async () => {
  await using exchange = await FakeExchange.start();
  exchange.refusal = 'infected';
  for (const file of [
    { name: 'x.bin', content: 'x' },
    { path: largePath, name: 'x.bin' },
  ]) {
    const sending = exchange.server.client().send({ files: [file], to });
    await expect(sending).rejects.toMatchObject({
      code: 'infected',
      message: expect.stringContaining('x.bin') as string,
    });
    expect(exchange.uploads.size).toBe(0);
  }
  expect(exchange.drops).toEqual([]);
});

test('a file that changes during its upload is an error', async () => {
  await using exchange = await FakeExchange.start();
  const path = join(folder, 'shrinking');
  writeFileSync(path, large);
  const shrink = () => truncateSync(path, chunkBytes);
  await expect(exchange.server.client().uploads.upload(path, { onProgress: shrink })).rejects.toThrow(
    'shrinking changed while it was being sent.',
  );
});

test('a folder is sent with its paths; anything but files is refused', async () => {
  await using exchange = await FakeExchange.start();
  const root = join(folder, 'drawings');
  const wanted = Array.from({ length: 60 }, (_, index) => `drawings/sub ${index % 5}/deep/plan ${index}.txt`);
  for (const path of wanted) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), path);
  }
  const client = exchange.server.client();
  await client.send({ files: [`${root}/`], to });
  expect(exchange.drops[0]?.files.toSorted()).toEqual(wanted.toSorted());
  symlinkSync('/etc/passwd', join(root, 'sub 1/link'));
  await expect(client.send({ files: [root], to })).rejects.toThrow(/link is a symbolic link/);
  mkdirSync(join(folder, 'empty'));
  await expect(client.send({ files: [join(folder, 'empty')], to })).rejects.toMatchObject({ code: 'no_files' });
  expect(exchange.drops).toHaveLength(1);
});

test('invalid input is refused before any request', async () => {
  await using exchange = await FakeExchange.start();
  const client = exchange.server.client();
  await expect(client.send({ files: [], to })).rejects.toMatchObject({ code: 'no_files' });
  await expect(client.send({ files, to: [] })).rejects.toMatchObject({ code: 'no_receivers' });
  await expect(client.send({ files: [...files, '/no/such/file'], to })).rejects.toThrow('it does not exist');
  const twice = [
    { path: '/dev/null', name: 'report.csv' },
    { path: '/dev/zero', name: 'report.csv' },
  ];
  await expect(client.send({ files: twice, to })).rejects.toThrow('Two files are called report.csv');
  const spelt = [
    { name: 'e\u0301', content: '' },
    { name: '\u00e9', content: '' },
  ];
  await expect(client.send({ files: spelt, to })).rejects.toMatchObject({ code: 'invalid_argument' });
  expect(exchange.server.requests).toEqual([]);
});

test('an abort ends an upload', async () => {
  await using exchange = await FakeExchange.start();
  const stop = new AbortController();
  const options = { signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) };
  await expect(exchange.server.client().uploads.upload(largePath, options)).rejects.toThrow('enough');
});
