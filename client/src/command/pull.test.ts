import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FakeTerminal, fakeTerminal } from '../testing/fake-terminal.ts';
import { fail, succeed, WireServer } from '../testing/wire-server.ts';
import { freeName, partPath } from './landing.ts';
import { PullJournal } from './pull-journal.ts';
import { run } from './run.ts';

let home: string;
let folder: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'client-pull-'));
  folder = join(home, 'in');
});
afterEach(() => rmSync(home, { recursive: true }));

interface Drop {
  url: string;
  files: Record<string, string>;
}

async function inboxServer(drops: Drop[]): Promise<WireServer & { fetched: string[] }> {
  const fetched: string[] = [];
  const server = await WireServer.start(({ path }, response) => {
    if (path === 'cgi/get_history.cgi') {
      const inbox = drops.map(({ url, files }, age) => ({
        url,
        ttl: '7',
        createtime: String(1_800_000_000 - age),
        sender: 'beta@machines.test',
        files: Object.keys(files).map((name) => ({ name, settings: '[]' })),
      }));
      succeed(response, { history: [], live_drops: '0', inbox });
      return;
    }
    const [url, , name = ''] = path.split('/').map(decodeURIComponent);
    const content = drops.find((drop) => drop.url === url)?.files[name];
    if (content === undefined) {
      fail(response, 404, 'not_found');
      return;
    }
    fetched.push(`${url}/${name}`);
    const digest = createHash('sha256').update(content).digest('base64');
    response.writeHead(200, {
      ETag: `"${digest}"`,
      'Repr-Digest': `sha-256=:${digest}:`,
      'Content-Length': Buffer.byteLength(content),
    });
    response.end(content);
  });
  return Object.assign(server, { fetched });
}

function terminalFor(server: WireServer): FakeTerminal {
  return fakeTerminal(home, {
    PATH: process.env['PATH'] ?? '',
    WAYBILL_URL: server.baseUrl,
    WAYBILL_USER: 'alpha@machines.test',
    WAYBILL_API_KEY: 'wb_key',
  });
}

async function pull(server: WireServer, ...words: string[]): Promise<{ exit: number; terminal: FakeTerminal }> {
  const terminal = terminalFor(server);
  return { exit: await run(terminal, ['pull', folder, ...words], new AbortController().signal, '1'), terminal };
}

const landed = () =>
  readdirSync(folder)
    .filter((name) => name !== '.waybill')
    .toSorted();
const account = (server: WireServer) => `alpha@machines.test ${new URL(server.baseUrl).href}`;

test('every file lands once, also when it was moved on since', async () => {
  const drops: Drop[] = [{ url: 'd1', files: { 'a.txt': 'a', 'b.txt': '' } }];
  await using server = await inboxServer(drops);
  expect((await pull(server)).exit).toBe(0);
  expect(landed()).toEqual(['a.txt', 'b.txt']);
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('a');
  renameSync(join(folder, 'a.txt'), join(home, 'moved.txt'));
  drops.unshift({ url: 'd2', files: { 'c.txt': 'c', 'b.txt': '' } });
  const { exit, terminal } = await pull(server, '--json');
  expect(exit).toBe(0);
  expect(landed()).toEqual(['b (2).txt', 'b.txt', 'c.txt']);
  const received = terminal.output.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { path: string });
  expect(received.map(({ path }) => path).toSorted()).toEqual([join(folder, 'b (2).txt'), join(folder, 'c.txt')]);
  expect(server.fetched).toHaveLength(4);
  expect((await pull(server)).terminal.errors.text).toBe('There is nothing new.\n');
});

test('a name that could lead out of the folder is left alone', async () => {
  await using server = await inboxServer([
    { url: 'd1', files: { '../evil.txt': 'x', '..': 'x', '.waybill': 'y', 'ok.txt': 'z' } },
  ]);
  expect((await pull(server)).exit).toBe(0);
  expect(landed()).toEqual(['.waybill (2)', 'ok.txt']);
  expect(existsSync(join(home, 'evil.txt'))).toBe(false);
});

test('a file that ends before it is fetched is let go, and the others come', async () => {
  const drops: Drop[] = [{ url: 'd1', files: { 'a.txt': 'a', 'gone.txt': 'g' } }];
  await using server = await inboxServer(drops);
  {
    using journal = (await PullJournal.open(mkdirAt(folder), account(server))) as PullJournal;
    journal.note({ url: 'ended', name: 'late.txt', sender: 'beta@machines.test', created: 1 }, 1);
  }
  const { exit, terminal } = await pull(server);
  expect(exit).toBe(0);
  expect(terminal.errors.text).toContain('late.txt of beta@machines.test has passed its deadline');
  expect(landed()).toEqual(['a.txt', 'gone.txt']);
});

function mkdirAt(path: string): string {
  mkdirSync(path, { recursive: true });
  return path;
}

test.each([true, false])('after a crash while a file got its name, it lands once (it had it: %s)', async (hadIt) => {
  await using server = await inboxServer([{ url: 'd1', files: { 'a.txt': 'a' } }]);
  {
    using journal = (await PullJournal.open(mkdirAt(folder), account(server))) as PullJournal;
    journal.note({ url: 'd1', name: 'a.txt', sender: 'beta@machines.test', created: 1_800_000_000 }, 1);
    const entry = journal.next({ created: -1, id: -1 });
    if (!entry) throw new Error('nothing noted');
    journal.landing(entry.id, 'a.txt', { sha256: 'ca', sizeBytes: 1 });
    // Where it had its name, somebody has moved it on since.
    if (!hadIt) writeFileSync(partPath(journal, entry), 'a');
  }
  expect((await pull(server)).exit).toBe(0);
  expect(server.fetched).toEqual([]);
  expect(landed()).toEqual(hadIt ? [] : ['a.txt']);
});

test('a hook is told about the file and its attempt, and run again until it succeeds', async () => {
  await using server = await inboxServer([{ url: 'd1', files: { "a'; touch evil #.txt": 'abc' } }]);
  const log = join(home, 'log');
  const hook = `echo "$WAYBILL_ATTEMPT $WAYBILL_NAME $WAYBILL_SENDER $WAYBILL_DROP $WAYBILL_SIZE_BYTES \${WAYBILL_API_KEY-none}" >> ${log}; cmp -s "$WAYBILL_FILE" "$WAYBILL_FILE" && [ "$WAYBILL_ATTEMPT" -ge 3 ]`;
  expect((await pull(server, '--hook', hook)).exit).toBe(8);
  const { exit, terminal } = await pull(server, '--hook', hook);
  expect(exit).toBe(8);
  expect(terminal.errors.text).toContain('attempt 2');
  expect(terminal.output.text).toBe('');
  expect((await pull(server, '--hook', hook)).exit).toBe(0);
  expect((await pull(server, '--hook', hook)).exit).toBe(0);
  const said = (attempt: number) => `${attempt} a'; touch evil #.txt beta@machines.test d1 3 none\n`;
  expect(readFileSync(log, 'utf8')).toBe(said(1) + said(2) + said(3));
  expect(landed()).toHaveLength(1);
});

test('one process at a time works in a folder; the next one waits for it', async () => {
  await using server = await inboxServer([{ url: 'd1', files: { 'a.txt': 'a' } }]);
  const journal = (await PullJournal.open(mkdirAt(folder), account(server))) as PullJournal;
  expect(await PullJournal.open(folder, 'another')).toBe(undefined);
  const terminal = terminalFor(server);
  const pulling = run(terminal, ['pull', folder], new AbortController().signal, '1');
  await expect.poll(() => terminal.errors.text).toContain('Another pull is at work');
  expect(server.fetched).toEqual([]);
  journal[Symbol.dispose]();
  expect(await pulling).toBe(0);
  expect(landed()).toEqual(['a.txt']);
});

test('a name is taken with a number where it is taken, and stays short enough', async () => {
  mkdirAt(folder);
  const long = `${'ä'.repeat(125)}.txt`;
  for (const name of ['a.tar.gz', 'a.tar (2).gz', long, '.profile']) writeFileSync(join(folder, name), '');
  expect(await freeName(folder, 'free.txt')).toBe('free.txt');
  expect(await freeName(folder, 'a.tar.gz')).toBe('a.tar (3).gz');
  expect(await freeName(folder, '.profile')).toBe('.profile (2)');
  expect(Buffer.byteLength(await freeName(folder, long))).toBeLessThanOrEqual(255);
});
