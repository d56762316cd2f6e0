import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { UploadProgress } from './draft.ts';
import { fail, succeed, WireServer } from './testing/wire-server.ts';
import type { Contact } from './wire.ts';

interface FakeAccount {
  contacts: string[];
  usedKeys: Map<string, string>;
  drops: { draft: string; receivers: string[]; files: string[]; parameters: unknown }[];
  drafts: Map<string, { receivers: string[]; files: Map<string, Buffer>; opened: boolean }>;
  loseAnswers: number;
  /** Whether the server knows `Prefer: file-digests`. */
  tellsDigests: boolean;
}

/** The rules of a dispatch, as docs/api.md has them. */
async function account(contacts: string[] = []): Promise<{ server: WireServer; state: FakeAccount }> {
  const state: FakeAccount = {
    contacts,
    usedKeys: new Map(),
    drops: [],
    drafts: new Map(),
    loseAnswers: 0,
    tellsDigests: true,
  };
  const server = await WireServer.start(({ path, headers, body }, response, request) => {
    const name = String(headers['waybill-draft']);
    const draft = state.drafts.get(name) ?? { receivers: [], files: new Map<string, Buffer>(), opened: false };
    state.drafts.set(name, draft);
    const ok = () => succeed(response, { status: 'ok' });
    if (path === 'cgi/contacts_read.cgi') {
      const local = state.contacts.map((email) => ({ email, number: '', language: '', groups: [], nick: '' }));
      succeed(response, { local, global: [] }, { ETag: '"1"' });
    } else if (path === 'cgi/contacts_add.cgi') {
      state.contacts = (JSON.parse(body.toString()) as Contact[]).map(({ email }) => email);
      ok();
    } else if (path === 'cgi/receivers_set.cgi') {
      const receivers = (JSON.parse(body.toString()) as Contact[]).map(({ email }) => email);
      if (!receivers.every((email) => state.contacts.includes(email))) return fail(response, 409, 'unknown_contact');
      draft.receivers = receivers;
      ok();
    } else if (path === 'cgi/get_files.cgi') {
      draft.opened = true;
      const asked = state.tellsDigests && headers['prefer'] === 'file-digests';
      const entries = [...draft.files].map(([file, bytes]) => ({
        name: file,
        type: '',
        size: '',
        ...(asked ? { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') } : {}),
      }));
      succeed(response, entries);
    } else if (path.startsWith('cgi/remove_file.cgi?filename=')) {
      draft.files.delete(decodeURIComponent(path.split('=')[1] ?? ''));
      ok();
    } else if (path === 'cgi/upload.cgi') {
      const [, file = '', bytes = ''] =
        /filename="([^"]*)"[^]*?\r\n\r\n([^]*?)\r\n--/.exec(body.toString('latin1')) ?? [];
      draft.files.set(Buffer.from(file, 'latin1').toString().normalize('NFC'), Buffer.from(bytes, 'latin1'));
      succeed(response, { status: 'done' });
    } else {
      const key = String(headers['idempotency-key']);
      const digest = `${path} ${name} ${body.toString()}`;
      const used = state.usedKeys.get(key);
      if (used !== undefined) return used === digest ? ok() : fail(response, 409, 'idempotency_key_reused');
      if (draft.receivers.length === 0) return fail(response, 409, 'no_receivers');
      if (path === 'cgi/createdrop.cgi') {
        if (!draft.opened) return fail(response, 409, 'file_list_not_initialized');
        if (draft.files.size === 0) return fail(response, 409, 'no_files');
      }
      state.usedKeys.set(key, digest);
      const parameters = JSON.parse(body.toString()) as unknown;
      state.drops.push({ draft: name, receivers: draft.receivers, files: [...draft.files.keys()], parameters });
      state.drafts.delete(name);
      if (state.loseAnswers > 0) {
        state.loseAnswers -= 1;
        request.socket.destroy();
      } else ok();
    }
  });
  return { server, state };
}

const files = [
  { name: 'a.txt', content: 'a' },
  { name: 'b.txt', content: 'b' },
];

test('a send makes one drop, in a draft of its own, and adds contacts that are missing', async () => {
  const { server, state } = await account(['known@example.org']);
  await using _server = server;
  const to = ['known@example.org', { email: 'new@example.org', nick: 'New' }];
  await server.client().send({ files, to, message: 'Hello', days: 3 });
  await server.client().send({ files, to });
  expect(state.contacts).toEqual(['known@example.org', 'new@example.org']);
  expect(state.drops).toMatchObject([
    {
      receivers: ['known@example.org', 'new@example.org'],
      files: ['a.txt', 'b.txt'],
      parameters: { desttime: 3, ddmessage: 'Hello' },
    },
    { files: ['a.txt', 'b.txt'], parameters: {} },
  ]);
  const drafts = state.drops.map(({ draft }) => draft);
  expect(new Set(drafts).size).toBe(2);
  for (const draft of drafts) expect(draft).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
});

test('a dispatch whose answer was lost is repeated and makes one drop', async () => {
  const { server, state } = await account(['a@example.org']);
  await using _server = server;
  state.loseAnswers = 3;
  await server.client().send({ files, to: ['a@example.org'] });
  expect(state.drops).toHaveLength(1);
});

test('a send with a key that was used makes nothing and uploads nothing', async () => {
  const { server, state } = await account(['a@example.org']);
  await using _server = server;
  const send = { files, to: ['a@example.org'], message: 'once', idempotencyKey: 'night of 1 May' };
  expect(await server.client().send(send)).toEqual({ idempotencyKey: 'night of 1 May', repeated: false });
  const before = server.seen.length;
  expect(await server.client().send(send)).toEqual({ idempotencyKey: 'night of 1 May', repeated: true });
  expect(state.drops).toHaveLength(1);
  expect(server.seen.slice(before).some(({ path }) => path === 'cgi/upload.cgi')).toBe(false);
  await expect(server.client().send({ ...send, message: 'another' })).rejects.toMatchObject({
    code: 'idempotency_key_reused',
  });
});

test('a send that broke off is taken up in the same draft, without what was left there', async () => {
  const { server, state } = await account(['a@example.org']);
  await using _server = server;
  const send = { to: ['a@example.org'], idempotencyKey: 'key' };
  const torn = [
    { name: 'old.txt', content: 'old' },
    { name: 'torn', open: () => tearing() },
  ];
  await expect(server.client().send({ ...send, files: torn })).rejects.toMatchObject({ code: 'source_failed' });
  await server.client().send({ ...send, files });
  expect(state.drops).toMatchObject([{ files: ['a.txt', 'b.txt'] }]);
});

const uploads = (server: WireServer) =>
  server.seen
    .filter(({ path }) => path === 'cgi/upload.cgi')
    .map(({ body }) => /filename="([^"]*)"/.exec(body.toString('latin1'))?.[1]);

test('a send that is run again uploads only what is not there yet', async () => {
  const { server, state } = await account(['a@example.org']);
  await using _server = server;
  const send = { to: ['a@example.org'], idempotencyKey: 'key' };
  const path = fileURLToPath(import.meta.url);
  const there = [
    { path, name: 'from a path' },
    { name: 'from memory', content: 'ä' },
    { name: 'from a function', open: () => [Buffer.from('made')] },
    { name: 'e\u0301', content: 'spelt in another way' },
  ];
  const changed = (content: string) => ({ name: 'changed', content });
  const streamed = () => ({ name: 'streamed', stream: [Buffer.from('once')] });
  const torn = { name: 'torn', open: () => tearing() };
  const first = [...there, changed('one'), { name: 'grown', content: '1' }, streamed(), torn];
  await expect(server.client().send({ ...send, files: first })).rejects.toMatchObject({ code: 'source_failed' });
  const before = uploads(server).length;
  const progress: UploadProgress[] = [];
  const second = [
    ...there,
    changed('two'),
    { name: 'grown', content: '12' },
    streamed(),
    { name: 'torn', content: 'whole' },
  ];
  await server.client().send({ ...send, files: second, onProgress: (step) => progress.push(step) });
  expect(uploads(server).slice(before)).toEqual(['changed', 'grown', 'streamed', 'torn']);
  expect(state.drops).toHaveLength(1);
  expect(state.drops[0]?.files).toHaveLength(second.length);
  expect(progress).toContainEqual({ name: 'from memory', sentBytes: 2, totalBytes: 2 });
});

test('a send that is run again uploads everything where the server does not tell what it has', async () => {
  const { server, state } = await account(['a@example.org']);
  await using _server = server;
  state.tellsDigests = false;
  const send = { to: ['a@example.org'], idempotencyKey: 'key' };
  const torn = { name: 'torn', open: () => tearing() };
  await expect(server.client().send({ ...send, files: [...files, torn] })).rejects.toThrow();
  const before = uploads(server).length;
  await server.client().send({ ...send, files });
  expect(uploads(server).slice(before)).toEqual(['a.txt', 'b.txt']);
});

async function* tearing(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('a');
  throw new Error('torn');
}

test('what was uploaded for a dispatch that another process has made meanwhile is removed', async () => {
  const { server, state } = await account(['a@example.org']);
  await using _server = server;
  const send = { to: ['a@example.org'], idempotencyKey: 'key' };
  const other = { name: 'b.txt', open: () => meanwhile() };
  async function* meanwhile(): AsyncGenerator<Uint8Array> {
    await server.client().send({ ...send, files });
    yield Buffer.from('b');
  }
  await server.client().send({ ...send, files: [{ name: 'a.txt', content: 'a' }, other] });
  expect(state.drops).toHaveLength(1);
  expect([...state.drafts.values()].flatMap((draft) => [...draft.files.keys()])).toEqual([]);
});

test('a request gives access to the receivers, once for a key', async () => {
  const { server, state } = await account();
  await using _server = server;
  const request = { to: ['a@example.org'], message: 'Please', days: 1, idempotencyKey: 'key' };
  await server.client().request(request);
  await server.client().request(request);
  expect(state.drops).toMatchObject([{ receivers: ['a@example.org'], files: [] }]);
});

test('what cannot be sent is refused before anything is asked', async () => {
  const { server } = await account();
  await using _server = server;
  const client = server.client();
  const to = ['a@example.org'];
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
  expect(server.seen).toEqual([]);
});
