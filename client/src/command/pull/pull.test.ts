import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FakeTerminal, fakeTerminal } from '../../testing/fake-terminal.ts';
import { type Drop, type InboxServer, maxAttempts, type Queued, startInboxServer } from '../../testing/inbox-server.ts';
import { fillDisk, runOnSmallDisk } from '../../testing/small-disk.ts';
import { refuse, succeed, type WireServer } from '../../testing/wire-server.ts';
import { run } from '../run.ts';
import { partPath, placeFile } from './place-file.ts';
import { type JournalEntry, PullJournal } from './pull-journal.ts';

let home: string;
let folder: string;
const today = Math.floor(Date.now() / 86_400_000);

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'client-pull-'));
  folder = join(home, 'in');
});
afterEach(() => rmSync(home, { recursive: true }));

function terminalFor(server: WireServer): FakeTerminal {
  return fakeTerminal(home, {
    PATH: process.env['PATH'] ?? '',
    WAYBILL_URL: server.baseUrl,
    WAYBILL_USER: 'alpha@machines.test',
    WAYBILL_API_KEY: 'wb_key',
  });
}

async function pull(server: InboxServer, ...words: string[]): Promise<{ exit: number; terminal: FakeTerminal }> {
  server.nextPull();
  const terminal = terminalFor(server);
  return { exit: await run(terminal, ['pull', folder, ...words], new AbortController().signal, '1'), terminal };
}

const errorsOf = (terminal: FakeTerminal) =>
  terminal.errors.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const listFolder = () =>
  readdirSync(folder)
    .filter((name) => name !== '.waybill')
    .toSorted();
const account = (server: WireServer) => `alpha@machines.test ${new URL(server.baseUrl).href}`;

test('every file is stored once, even if it was moved away since', async () => {
  const drops: Drop[] = [{ url: 'd1', files: { 'a.txt': 'a', 'b.txt': '' } }];
  await using server = await startInboxServer(drops);
  expect((await pull(server)).exit).toBe(0);
  expect(listFolder()).toEqual(['a.txt', 'b.txt']);
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('a');
  renameSync(join(folder, 'a.txt'), join(home, 'moved.txt'));
  drops.unshift({ url: 'd2', files: { 'c.txt': 'c', 'b.txt': '' } });
  const { exit, terminal } = await pull(server, '--json');
  expect(exit).toBe(0);
  expect(listFolder()).toEqual(['b (2).txt', 'b.txt', 'c.txt']);
  const received = terminal.output.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { path: string });
  expect(received.map(({ path }) => path).toSorted()).toEqual([join(folder, 'b (2).txt'), join(folder, 'c.txt')]);
  expect(server.fetched).toHaveLength(4);
  expect((await pull(server)).terminal.errors.text).toBe('There is nothing new.\n');
});

test('unsafe names are changed, and the output has the original name', async () => {
  const names = [
    '../evil.txt',
    '.waybill',
    '.bash_profile',
    'CON.txt',
    'report.',
    'Report.csv',
    'report.csv',
    'rep\u200bort.csv',
    '\u200b',
  ];
  await using server = await startInboxServer([
    { url: 'd1', files: Object.fromEntries(names.map((name) => [name, name])) },
  ]);
  const { exit, terminal } = await pull(server, '--json');
  expect(exit).toBe(0);
  const received = terminal.output.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { path: string; name: string })
    .map(({ path, name }) => [name, relative(folder, path)]);
  expect(Object.fromEntries(received)).toEqual({
    '../evil.txt': '__/evil.txt',
    '.waybill': '_waybill',
    '.bash_profile': '_bash_profile',
    'CON.txt': '_CON.txt',
    'report.': 'report_',
    'Report.csv': 'Report.csv',
    'report.csv': 'report (2).csv',
    'rep\u200bort.csv': 'rep\u200bort (3).csv',
    '\u200b': '_',
  });
  for (const [name = '', path = ''] of received) expect(readFileSync(join(folder, path), 'utf8')).toBe(name);
  expect(listFolder()).toHaveLength(names.length);
  expect(existsSync(join(home, 'evil.txt'))).toBe(false);
});

test('on a terminal, progress covers all missing files of an entry', async () => {
  await using server = await startInboxServer([
    { url: 'd1', files: { a: 'a'.repeat(600), b: 'b'.repeat(300) } },
    { url: 'd2', files: { c: 'c'.repeat(100), d: 'd'.repeat(50), e: 'e'.repeat(50) } },
  ]);
  {
    using journal = (await PullJournal.open(mkdirAt(folder), account(server))) as PullJournal;
    journal.recordFile({ url: 'd2', name: 'c', sender: 'beta@machines.test', created: 0 }, today);
    for (const { id } of journal.listFiles('d2')) journal.setState(id, 'done');
  }
  const terminal = terminalFor(server);
  terminal.errors.isTTY = true;
  expect(await run(terminal, ['pull', folder], new AbortController().signal, '1')).toBe(0);
  const lines = terminal.errors.text.split('\r\u001b[2K').filter((line) => line.includes(' files, '));
  const complete = lines.map((line) => /\d+%  .*? B(?=,|$)/.exec(line)?.[0]);
  expect([...new Set(complete)]).toEqual([
    '0%  0/2 files, 0 of 900 B',
    '66%  1/2 files, 600 of 900 B',
    '100%  2/2 files, 900 of 900 B',
    '0%  0/2 files, 0 of 100 B',
    '50%  1/2 files, 50 of 100 B',
    '100%  2/2 files, 100 of 100 B',
  ]);
});

const tree = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => !file.isDirectory())
    .map((file) => relative(folder, join(file.parentPath, file.name)))
    .filter((path) => !path.startsWith('.waybill/'))
    .toSorted();
const inFolders = (paths: Record<string, string>) => [
  { url: 'd1', files: Object.fromEntries(Object.keys(paths).map((name) => [name, name])), paths },
];

test('folders are created again', async () => {
  await using server = await startInboxServer(
    inFolders({ x: 'a/x', 'x (2)': 'grüße/b/x', 'x (3)': 'x', y: 'a/y', z: '%', w: 'A/w' }),
  );
  expect((await pull(server)).exit).toBe(0);
  expect(tree()).toEqual(['%', 'A/w', 'a/x', 'a/y', 'grüße/b/x', 'x']);
  expect(readFileSync(join(folder, 'grüße/b/x'), 'utf8')).toBe('x (2)');
  expect((await pull(server)).terminal.errors.text).toBe('There is nothing new.\n');
});

test('a file whose folders cannot be created is stored in the folder itself', async () => {
  // Longer than a path may be.
  const folders = Array.from({ length: 20 }, () => 'x'.repeat(250)).join('/');
  await using server = await startInboxServer(inFolders({ a: `${folders}/a`, b: 'b' }));
  expect((await pull(server)).exit).toBe(0);
  expect(tree()).toEqual(['a', 'b']);
});

test('whatever a server sends, nothing is stored outside the folder or in that of the journal', async () => {
  mkdirSync(folder);
  mkdirSync(join(home, 'elsewhere'));
  symlinkSync(join(home, 'elsewhere'), join(folder, 'link'));
  writeFileSync(join(folder, 'file'), 'of somebody else');
  const paths = {
    a: '../../evil',
    b: '/etc/evil',
    d: 'C:\\evil',
    e: '.waybill/pull.db',
    f: '.WAYBILL/pull.db',
    g: 'link/evil',
    h: 'file/evil',
    i: `${'d/'.repeat(1000)}deep`,
    j: 'con/a./evil\u0000',
    k: '',
  };
  await using server = await startInboxServer(inFolders(paths));
  const before = readdirSync(home);
  expect((await pull(server)).exit).toBe(0);
  expect(tree()).toEqual(
    [
      '__/__/evil',
      '_/etc/evil',
      'C__evil',
      '_waybill/pull.db',
      '_WAYBILL/pull (2).db',
      'link (2)/evil',
      'file (2)/evil',
      'deep',
      '_con/a_/evil_',
      '_ (2)',
      'file',
      'link',
    ].toSorted(),
  );
  expect(readdirSync(home)).toEqual(before);
  expect(readdirSync(join(home, 'elsewhere'))).toEqual([]);
  expect((await pull(server)).terminal.errors.text).toBe('There is nothing new.\n');
});

test('a name that differs from an earlier one only in case can be used after that file was moved away', async () => {
  const drops: Drop[] = [{ url: 'd1', files: { 'Report.csv': '1' } }];
  await using server = await startInboxServer(drops);
  await pull(server);
  drops.push({ url: 'd2', files: { 'report.csv': '2' } });
  await pull(server);
  expect(listFolder()).toEqual(['Report.csv', 'report (2).csv']);
  for (const name of listFolder()) renameSync(join(folder, name), join(home, name));
  drops.push({ url: 'd3', files: { 'REPORT.csv': '3' } });
  await pull(server);
  expect(listFolder()).toEqual(['REPORT.csv']);
});

test('a journal of an earlier version is upgraded', async () => {
  await using server = await startInboxServer([{ url: 'd1', files: { 'a.txt': 'a' } }]);
  await pull(server);
  const database = new DatabaseSync(join(folder, '.waybill', 'pull.db'));
  database.exec('drop index files_name_key; alter table files drop column name_key');
  database.close();
  expect((await pull(server)).terminal.errors.text).toBe('There is nothing new.\n');
});

test('a file that expires before its download is skipped, and the others are downloaded', async () => {
  await using server = await startInboxServer([
    { url: 'd1', files: { 'a.txt': 'a', 'late.txt': 'l' }, ended: ['late.txt'] },
  ]);
  const { exit, terminal } = await pull(server);
  expect(exit).toBe(0);
  expect(terminal.errors.text).toContain('late.txt from beta@machines.test expired before it was downloaded');
  expect(listFolder()).toEqual(['a.txt']);
  expect(server.queue.get('d1')?.acknowledged).toBe(1);
});

test('the entry that a killed process had claimed is returned, and claimed again as another attempt', async () => {
  await using server = await startInboxServer([{ url: 'd1', files: { 'a.txt': 'a' } }]);
  {
    using journal = (await PullJournal.open(mkdirAt(folder), account(server))) as PullJournal;
    journal.beginClaim('of the killed one');
  }
  const client = server.client();
  expect(await client.inbox.claim({ idempotencyKey: 'of the killed one' })).toHaveLength(1);
  const log = join(home, 'log');
  expect((await pull(server, '--hook', `echo "$WAYBILL_ATTEMPT" >> ${log}`)).exit).toBe(0);
  expect(readFileSync(log, 'utf8')).toBe('2\n');
  expect(server.queue.get('d1')).toMatchObject({ attempts: 2, acknowledged: 1 });
});

test('an entry whose files are already stored is acknowledged without running the hook', async () => {
  await using server = await startInboxServer([{ url: 'd1', files: { 'a.txt': 'a' } }]);
  await pull(server);
  server.queue.clear(); // as if the acknowledgement had been lost
  expect((await pull(server, '--hook', 'exit 1')).exit).toBe(0);
  expect(server.queue.get('d1')?.acknowledged).toBe(1);
  expect(server.fetched).toHaveLength(1);
});

function mkdirAt(path: string): string {
  mkdirSync(path, { recursive: true });
  return path;
}

function findEntry(journal: PullJournal): JournalEntry {
  journal.recordFile({ url: 'd1', name: 'a.txt', sender: 'beta@machines.test', created: 1_800_000_000 }, today);
  const [entry] = journal.listFiles('d1');
  if (!entry) throw new Error('nothing noted');
  return entry;
}

test.each([
  ['before it had it', ['part'], ['a.txt']],
  ['when it had both names', ['part', 'a.txt'], ['a.txt']],
  ['after it had it, and somebody has moved it on since', [], []],
  ['and a file of that name has appeared since', ['part', 'foreign'], ['a (2).txt', 'a.txt']],
])('after a crash while a file gets its name, it is stored once: %s', async (_when, there, expected) => {
  await using server = await startInboxServer([{ url: 'd1', files: { 'a.txt': 'a' } }]);
  {
    using journal = (await PullJournal.open(mkdirAt(folder), account(server))) as PullJournal;
    const entry = findEntry(journal);
    journal.recordPlacing(entry.id, 'a.txt', { sha256: 'ca', size: 1 });
    if (there.includes('part')) writeFileSync(partPath(journal, entry), 'a');
    if (there.includes('a.txt')) linkSync(partPath(journal, entry), join(folder, 'a.txt'));
    if (there.includes('foreign')) writeFileSync(join(folder, 'a.txt'), '');
  }
  expect((await pull(server)).exit).toBe(0);
  expect(server.fetched).toEqual([]);
  expect(listFolder()).toEqual(expected);
  expect(readdirSync(join(folder, '.waybill')).filter((name) => name.endsWith('.part'))).toEqual([]);
});

test('a file that appears while a download gets the same name is not replaced', async () => {
  using journal = (await PullJournal.open(mkdirAt(folder), 'alpha')) as PullJournal;
  const entry = findEntry(journal);
  writeFileSync(partPath(journal, entry), 'pulled');
  const recordPlacing = journal.recordPlacing.bind(journal);
  journal.recordPlacing = (id, path, whole) => {
    recordPlacing(id, path, whole);
    // The name was not used before.
    if (path === 'a.txt') writeFileSync(join(folder, path), 'somebody else’s', { flag: 'wx' });
  };
  expect(await placeFile(folder, journal, entry, { path: 'a.txt', sha256: 'ca', size: 6 })).toBe('a (2).txt');
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('somebody else’s');
  expect(readFileSync(join(folder, 'a (2).txt'), 'utf8')).toBe('pulled');
  expect(existsSync(partPath(journal, entry))).toBe(false);
});

test('a hook gets the file and its attempt, and is run again until it succeeds', async () => {
  await using server = await startInboxServer([{ url: 'd1', files: { "a'; touch evil #.txt": 'abc' } }]);
  const log = join(home, 'log');
  const hook = `echo "$WAYBILL_ATTEMPT $WAYBILL_NAME $WAYBILL_SENDER $WAYBILL_DROP $WAYBILL_SIZE \${WAYBILL_API_KEY-none}" >> ${log}; cmp -s "$WAYBILL_FILE" "$WAYBILL_FILE" && [ "$WAYBILL_ATTEMPT" -ge 3 ]`;
  expect((await pull(server, '--hook', hook)).exit).toBe(8);
  const { exit, terminal } = await pull(server, '--hook', hook);
  expect(exit).toBe(8);
  expect(terminal.errors.text).toContain('attempt 2');
  expect(terminal.output.text).toBe('');
  expect((await pull(server, '--hook', hook)).exit).toBe(0);
  expect((await pull(server, '--hook', hook)).exit).toBe(0);
  const expectedLine = (attempt: number) => `${attempt} a'; touch evil #.txt beta@machines.test d1 3 none\n`;
  expect(readFileSync(log, 'utf8')).toBe(expectedLine(1) + expectedLine(2) + expectedLine(3));
  expect(server.queue.get('d1')?.acknowledged).toBe(1);
  expect(listFolder()).toHaveLength(1);
});

test.each([
  ['ends', ''],
  ['is made to end, if it ignores the request', 'trap "" TERM; '],
])('when a pull is stopped, everything that its hook has started %s', async (_how, trap) => {
  await using server = await startInboxServer([{ url: 'd1', files: { 'a.txt': 'abc' } }]);
  const log = join(home, 'pids');
  // A shell that waits for another one: a signal to the first does not reach the second.
  const hook = `(${trap}sleep 600 & echo $! >> ${log}; wait; sleep 600); true`;
  const stop = new AbortController();
  const pulling = run(terminalFor(server), ['pull', folder, '--hook', hook], stop.signal, '1');
  await expect.poll(() => existsSync(log) && readFileSync(log, 'utf8')).toMatch(/\d+\n/);
  stop.abort();
  expect(await pulling).toBe(130);
  const pid = readFileSync(log, 'utf8').trim();
  // A process that has ended may wait for its exit to be read.
  const isRunning = () =>
    existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  await expect.poll(isRunning).toBe(false);
});

test('with --json, a hook that fails is reported as JSON', async () => {
  await using server = await startInboxServer([{ url: 'd1', files: { 'a.txt': 'abc' } }]);
  const { exit, terminal } = await pull(server, '--json', '--hook', 'false');
  expect(exit).toBe(8);
  const attempt = expect.stringContaining('attempt 1');
  expect(errorsOf(terminal)).toMatchObject([
    { status: 'error', code: 'hook_failed', message: attempt },
    { status: 'error', code: 'given_back', message: attempt },
    { status: 'error', code: 'incomplete' },
  ]);
});

test('after its last attempt, an entry is reported as parked, with the command that releases it', async () => {
  await using server = await startInboxServer([{ url: 'd1', files: { 'a.txt': 'abc' } }]);
  for (let attempt = 1; attempt < maxAttempts; attempt += 1) await pull(server, '--hook', 'false');
  const { terminal } = await pull(server, '--json', '--hook', 'false');
  expect(errorsOf(terminal)).toContainEqual(
    expect.objectContaining({ code: 'parked', next: 'To try again: waybill release d1' }),
  );
});

test('with --json, a file that has expired is reported as JSON', async () => {
  await using server = await startInboxServer([{ url: 'd1', files: { 'late.txt': 'l' }, ended: ['late.txt'] }]);
  const { exit, terminal } = await pull(server, '--json');
  expect(exit).toBe(0);
  const message = expect.stringContaining('late.txt from beta@machines.test expired');
  const next = 'Ask its sender to send it again.';
  expect(errorsOf(terminal)).toEqual([{ status: 'error', code: 'not_found', message, next }]);
});

test('with --json, a lost lease is reported as JSON, and its entry is not acknowledged', async () => {
  await using server = await startInboxServer([{ url: 'd1', files: { 'a.txt': 'a' } }]);
  server.intercept = (path) => {
    // Another program has claimed it meanwhile.
    if (path.startsWith('inbox/d1/files/')) (server.queue.get('d1') as Queued).lease = 'of another';
    return false;
  };
  const { exit, terminal } = await pull(server, '--json');
  expect(exit).toBe(8);
  expect(errorsOf(terminal)).toMatchObject([
    { status: 'error', code: 'lease_not_held', message: 'The lease of the files from beta@machines.test was lost.' },
    { status: 'error', code: 'incomplete' },
  ]);
  expect(server.queue.get('d1')).toMatchObject({ lease: 'of another', acknowledged: 0 });
});

test('after a hook has failed, the user learns when to pull again', async () => {
  await using server = await startInboxServer([{ url: 'd1', files: { 'a.txt': 'abc' } }]);
  const failed = await pull(server, '--hook', 'exit 1');
  expect(failed.exit).toBe(8);
  const waiting =
    /given back after attempt 1, and wait until [-\d]{10} \d\d:\d\d\.\n {9}They are pulled again then\.\n/;
  expect(failed.terminal.errors.text).toMatch(waiting);
  const later = new Date(Date.now() + 60_000);
  Object.assign(server.queue.get('d1') as Queued, { availableIn: 9, availableAt: later.toISOString() });
  const { exit, terminal } = await pull(server, '--hook', 'exit 1');
  expect(exit).toBe(0);
  const clock = [later.getHours(), later.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
  expect(terminal.errors.text).toBe(`1 entry waits until ${clock} after a failure.\n`);
});

test('one process at a time works in a folder; the next one waits for it', async () => {
  await using server = await startInboxServer([{ url: 'd1', files: { 'a.txt': 'a' } }]);
  const journal = (await PullJournal.open(mkdirAt(folder), account(server))) as PullJournal;
  expect(await PullJournal.open(folder, 'another')).toBe(undefined);
  const terminal = terminalFor(server);
  const pulling = run(terminal, ['pull', folder], new AbortController().signal, '1');
  await expect.poll(() => terminal.errors.text).toContain('Another pull is running');
  expect(server.fetched).toEqual([]);
  journal[Symbol.dispose]();
  expect(await pulling).toBe(0);
  expect(listFolder()).toEqual(['a.txt']);
});

async function watch(
  server: InboxServer,
  every: number,
  until: () => boolean,
  terminal = terminalFor(server),
): Promise<number> {
  const stop = new AbortController();
  const pulling = run(terminal, ['pull', folder, '--watch', '--every', String(every)], stop.signal, '1');
  await expect.poll(until, { timeout: 15_000 }).toBe(true);
  stop.abort();
  return await pulling;
}

test('a watch notices arrivals, also those during a pull', async () => {
  const drops: Drop[] = [];
  await using server = await startInboxServer(drops);
  server.events = (after, response) => {
    const arrived = (url: string) => {
      drops.push({ url, files: { [url]: url } });
      succeed(response, { data: [{ type: 'inbox.received' }], next_cursor: url });
    };
    if (after === 'end') succeed(response, { data: [], next_cursor: 'start' });
    else if (after === 'start') succeed(response, { data: [{ type: 'drop.opened' }], next_cursor: 'opened' });
    else if (after === 'opened') arrived('d1');
    else if (after === 'd1') arrived('d2');
  };
  expect(await watch(server, 3600, () => existsSync(join(folder, 'd2')))).toBe(130);
  expect(listFolder()).toEqual(['d1', 'd2']);
});

test('a watch with a key that may not read events polls the inbox', async () => {
  const drops: Drop[] = [{ url: 'd1', files: { d1: '' } }];
  await using server = await startInboxServer(drops);
  const arriving = expect.poll(() => existsSync(join(folder, 'd1')), { timeout: 5_000 }).toBe(true);
  const pulling = watch(server, 1, () => existsSync(join(folder, 'd2')));
  await arriving;
  drops.push({ url: 'd2', files: { d2: '' } });
  expect(await pulling).toBe(130);
});

/** The client does not wait for this long before another attempt, but reports the failure at once. */
const refuseForLong = (response: ServerResponse) =>
  refuse(response, 503, 'unavailable', { headers: { 'Retry-After': '1000' } });

test('a watch keeps an entry claimed while the server cannot read its files, and says so once', async () => {
  await using server = await startInboxServer([
    { url: 'd1', files: { a: 'a' } },
    { url: 'd2', files: { b: 'b' } },
  ]);
  let refused = 0;
  server.intercept = (path, response) => {
    if (!path.includes('/files/') || refused === 3) return false;
    refused += 1;
    refuseForLong(response);
    return true;
  };
  const terminal = terminalFor(server);
  const isDone = () => server.queue.get('d2')?.acknowledged === 1;
  expect(await watch(server, 1, isDone, terminal)).toBe(130);
  expect(refused).toBe(3);
  const settled = expect.objectContaining({ attempts: 1, acknowledged: 1, delays: [] });
  expect([...server.queue.values()]).toEqual([settled, settled]);
  const kept = 'The files from beta@machines.test stay claimed, and are tried again every 1 second.';
  expect(terminal.errors.text.split(kept)).toHaveLength(2);
});

test('a watch gives an entry back that the server cannot read while it can read another', {
  timeout: 30_000,
}, async () => {
  await using server = await startInboxServer([
    { url: 'd1', files: { a: 'first' } },
    { url: 'd2', files: { b: 'second' } },
  ]);
  let refused = 0;
  server.intercept = (path, response) => {
    if (!path.startsWith('inbox/d1/files/')) return false;
    refused += 1;
    refuseForLong(response);
    return true;
  };
  const terminal = terminalFor(server);
  expect(await watch(server, 1, () => server.queue.get('d2')?.acknowledged === 1, terminal)).toBe(130);
  expect(listFolder()).toEqual(['b']);
  expect(refused).toBe(4);
  expect(server.queue.get('d1')).toMatchObject({ attempts: 1, acknowledged: 0, delays: [30] });
  expect(terminal.errors.text).toContain('not those from beta@machines.test.');
  expect(terminal.errors.text).toContain('given back after attempt 1, and wait until ');
});

test.each([
  ['an error of the server that only this entry meets', ['--watch'], 500, 'internal'],
  ['a server that stays away, without --watch', [], 503, 'unavailable'],
])('an entry is given back with a delay that doubles after %s', async (_what, words, status, code) => {
  await using server = await startInboxServer([{ url: 'd1', files: { a: 'a' } }]);
  server.intercept = (path, response) => {
    if (path !== 'inbox/d1') return false;
    refuse(response, status, code, { headers: { 'Retry-After': '1000' } });
    return true;
  };
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    server.nextPull();
    const given = () => server.queue.get('d1')?.delays.length === attempt;
    if (words.length === 0) expect((await pull(server)).exit).toBe(5);
    else await watch(server, 1, given);
    expect(given()).toBe(true);
  }
  expect(server.queue.get('d1')).toMatchObject({ attempts: 3, delays: [30, 60, 120] });
});

const megabytes = (count: number) => 'x'.repeat(count * 1_000_000);

const pullOntoDisk = (server: InboxServer, prepare: string, ...words: string[]) =>
  runOnSmallDisk(['pull', ...words, '/mnt/in'], prepare, { ...terminalFor(server).environment, HOME: home });

const listParts = (disk: string) => readdirSync(join(disk, 'in/.waybill')).filter((name) => name.endsWith('.part'));

test('a file that does not fit is given back before its download, and the others are pulled', async () => {
  await using server = await startInboxServer([
    { url: 'd1', files: { 'a.bin': megabytes(5) } },
    { url: 'd2', files: { b: 'b' } },
  ]);
  const pulling = pullOntoDisk(server, fillDisk(3_000_000), '--watch', '--every', '1');
  await expect.poll(() => server.queue.get('d2')?.acknowledged, { timeout: 30_000 }).toBe(1);
  await expect.poll(() => server.queue.get('d1')?.delays, { timeout: 30_000 }).toEqual([30]);
  expect(server.fetched).toEqual(['d2/b']);
  await expect.poll(() => pulling.errors, { timeout: 30_000 }).toContain('and wait until');
  expect(pulling.errors).toMatch(/a\.bin needs 6\.0 MB more, and \/mnt\/in has 5\.\d MB left\.\n\s+Make room there/);
  rmSync(join(pulling.disk, 'ballast'));
  server.nextPull();
  await expect.poll(() => server.queue.get('d1')?.acknowledged, { timeout: 30_000 }).toBe(1);
  expect(readFileSync(join(pulling.disk, 'in/a.bin'), 'utf8')).toBe(megabytes(5));
  pulling.child.kill('SIGTERM');
  expect(await pulling.ended).toEqual([130, null]);
});

test('with --json, a program learns how much a file needs, how much is left, and where', async () => {
  await using server = await startInboxServer([{ url: 'd1', files: { 'a.bin': megabytes(5) } }]);
  const pulling = pullOntoDisk(server, fillDisk(3_000_000), '--json');
  expect(await pulling.ended).toEqual([8, null]);
  const [full, returned] = pulling.errors
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(full).toMatchObject({ code: 'disk_full', needed: 5_000_000 + 1024 ** 2, folder: '/mnt/in' });
  expect(full?.['free']).toBeLessThan(5_388_608);
  expect(returned).toMatchObject({ code: 'given_back' });
});

test('a disk that is full for hours does not park an entry', async () => {
  await using server = await startInboxServer([{ url: 'd1', files: { 'a.bin': megabytes(5) } }]);
  const pulling = pullOntoDisk(server, fillDisk(3_000_000), '--watch', '--every', '1');
  await expect.poll(() => server.queue.get('d1')?.delays.length, { timeout: 30_000 }).toBe(1);
  Object.assign(server.queue.get('d1') as Queued, { attempts: maxAttempts - 1, availableIn: 0 });
  // The last attempt, and the first one after that.
  await expect.poll(() => server.queue.get('d1')?.delays.length, { timeout: 30_000 }).toBe(3);
  expect(server.queue.get('d1')).toMatchObject({ attempts: 1, parked: false });
  pulling.child.kill('SIGTERM');
  await pulling.ended;
});

test.each([
  ['is removed, if it takes more room than it leaves', 3_500_000, []],
  ['is kept, if it takes less', 1_000_000, [expect.any(String)]],
])('the part of a file that does not fit %s', async (_what, size, kept) => {
  await using server = await startInboxServer([{ url: 'd1', files: { 'a.bin': megabytes(7) } }]);
  const journal = { folder: '/mnt/in/.waybill' } as PullJournal;
  const part = partPath(journal, { url: 'd1', name: 'a.bin' });
  const prepare = `mkdir -p ${journal.folder} && head -c ${size} /dev/zero >${part} && ${fillDisk(3_000_000)}`;
  const pulling = pullOntoDisk(server, prepare, '--watch', '--every', '1');
  await expect.poll(() => pulling.errors, { timeout: 30_000 }).toContain('and wait until');
  expect(listParts(pulling.disk)).toEqual(kept);
  pulling.child.kill('SIGTERM');
  await pulling.ended;
});

test('a disk that something else fills during a download gives the entry back, without its part', async () => {
  await using server = await startInboxServer([{ url: 'd1', files: { 'a.bin': megabytes(4) } }]);
  let rest: (() => void) | undefined;
  server.intercept = (path, response) => {
    if (!path.startsWith('inbox/d1/files/')) return false;
    const digest = createHash('sha256').update(megabytes(4)).digest('base64');
    response.writeHead(200, { ETag: '"1"', 'Repr-Digest': `sha-256=:${digest}:`, 'Content-Length': 4_000_000 });
    response.write(megabytes(2));
    rest = () => response.end(megabytes(2));
    return true;
  };
  const pulling = pullOntoDisk(server, 'true', '--watch', '--every', '1');
  await expect.poll(() => rest, { timeout: 30_000 }).toBeDefined();
  expect(() => writeFileSync(join(pulling.disk, 'ballast'), megabytes(9))).toThrow('ENOSPC');
  rest?.();
  await expect.poll(() => server.queue.get('d1')?.delays, { timeout: 30_000 }).toEqual([30]);
  expect(listParts(pulling.disk)).toEqual([]);
  pulling.child.kill('SIGTERM');
  await pulling.ended;
});

test('while not even the journal fits, nothing is claimed', async () => {
  await using server = await startInboxServer([{ url: 'd1', files: { a: 'a' } }]);
  const pulling = pullOntoDisk(server, fillDisk(8_000_000), '--watch', '--every', '1');
  await expect.poll(() => pulling.errors, { timeout: 30_000 }).toContain('Make room there.');
  expect(server.paths()).not.toContain('POST inbox/claim');
  rmSync(join(pulling.disk, 'ballast'));
  await expect.poll(() => server.queue.get('d1')?.acknowledged, { timeout: 30_000 }).toBe(1);
  pulling.child.kill('SIGTERM');
  await pulling.ended;
});
