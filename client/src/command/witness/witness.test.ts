import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openNote, parsePolicy, parseVerifierKey } from '@waybill/evidence';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeTerminal } from '../../testing/fake-terminal.ts';
import { cosign, SignedLog } from '../../testing/signed-log.ts';
import { run } from '../run.ts';
import { createKeyFile, readKeyFile } from './key-file.ts';
import { createWitnessServer, type Judgement } from './serve-witness.ts';
import { StateFile } from './state-file.ts';

const never = new AbortController().signal;
const now = 1_800_000_000;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'witness-'));
  await StateFile.create(join(folder, 'state.json'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const log = new SignedLog('files.example.org/log/1');
const entries = (count: number, view = 'honest') => Array.from({ length: count }, (_, index) => `${view} ${index}`);
/** Two histories that share their first three entries. */
const fork = (count: number) => [...entries(3), ...entries(count - 3, 'forked')];

async function startWitness(state?: Pick<StateFile, 'get' | 'put'>) {
  const keyFile = join(folder, 'key.json');
  const { verifierKeys } = await createKeyFile(keyFile, 'witness.example.com/w1', false).catch(() =>
    readKeyFile(keyFile, () => now),
  );
  const keys = await readKeyFile(keyFile, () => now);
  const file = state ? undefined : await StateFile.open(join(folder, 'state.json'));
  const reports: Judgement[] = [];
  const used = state ?? file;
  if (!used) throw new TypeError('no state');
  const logs = [parseVerifierKey(log.vkey)];
  const server = createWitnessServer({ ...keys, logs, state: used, report: (judgement) => reports.push(judgement) });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    reports,
    vkey: verifierKeys[0] ?? '',
    async ask(body: string) {
      const response = await fetch(`http://127.0.0.1:${port}/add-checkpoint`, { method: 'POST', body });
      return { status: response.status, body: await response.text(), type: response.headers.get('content-type') };
    },
    get: async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status,
    async [Symbol.asyncDispose]() {
      file?.close();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

test('cosigns a log that grows, and stores each checkpoint', async () => {
  await using witness = await startWitness();
  for (const [old, size] of [
    [0, 3],
    [3, 3],
    [3, 300],
  ] as const) {
    const request = await log.request(entries(size), old);
    const { status, body } = await witness.ask(request);
    expect(status).toBe(200);
    const { verified } = openNote(cosign(request, body), [parseVerifierKey(witness.vkey)]);
    expect(verified).toMatchObject([{ timestamp: now }]);
    expect(readFileSync(join(folder, 'state.json'), 'utf8')).toContain(`"size": ${size}`);
  }
  expect(await witness.get('/')).toBe(200);
  expect(await witness.get('/other')).toBe(404);
});

test('refuses a log that goes back, and names the size from which to continue', async () => {
  await using witness = await startWitness();
  await witness.ask(await log.request(entries(5), 0));
  expect(await witness.ask(await log.request(entries(4), 5))).toMatchObject({ status: 400 });
  const conflict = { status: 409, body: '5\n', type: 'text/x.tlog.size' };
  expect(await witness.ask(await log.request(entries(4), 0))).toEqual(conflict);
  expect(await witness.ask(await log.request(entries(9), 4))).toEqual(conflict);
  expect(await witness.ask(await log.request(entries(9), 5))).toMatchObject({ status: 200 });
});

test('two views for two parties: the second is refused and named, and a policy does not trust it', async () => {
  await using witness = await startWitness();
  const honest = await log.request(entries(5), 0);
  const { body } = await witness.ask(honest);
  const forked = await log.request(fork(5), 5);
  expect(await witness.ask(forked)).toMatchObject({ status: 409, body: '5\n' });
  expect(await witness.ask(await log.request(fork(8), 5))).toMatchObject({ status: 422 });
  expect(witness.reports.slice(1)).toMatchObject([
    {
      status: 409,
      origin: 'files.example.org/log/1',
      message: expect.stringContaining('FORK: '),
      checkpoint: cosign(forked, ''),
    },
    { status: 422, message: expect.stringContaining('REFUSED: ') },
  ]);
  const policy = parsePolicy(`log ${log.vkey}\nwitness W ${witness.vkey}\nquorum W\n`);
  const verifiers = [...policy.logs, ...policy.witnesses.values()];
  const isTrusted = (note: string) =>
    policy.isQuorum(openNote(note, verifiers).verified.map(({ verifier }) => verifier));
  expect(isTrusted(cosign(honest, body))).toBe(true);
  expect(isTrusted(cosign(forked, ''))).toBe(false);
  // The cosignature of one view does not fit the other.
  expect(() => isTrusted(cosign(forked, body))).toThrow('is wrong');
});

test('of two requests at once, one is cosigned', async () => {
  await using witness = await startWitness();
  const requests = await Promise.all([log.request(entries(4), 0), log.request(fork(6), 0), log.request(entries(7), 0)]);
  const responses = await Promise.all(requests.map((request) => witness.ask(request)));
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
});

test('cosigns nothing that it cannot store', async () => {
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  await using witness = await startWitness({ get: () => undefined, put: () => Promise.reject(full) });
  const { status, body } = await witness.ask(await log.request(entries(4), 0));
  expect({ status, body }).toEqual({ status: 500, body: 'The checkpoint cannot be stored, so it is not cosigned.\n' });
  expect(witness.reports).toMatchObject([{ status: 500, message: 'NOT STORED: no space' }]);
});

test('a state that is deleted is written again, and one that another process has changed is not overwritten', async () => {
  await using witness = await startWitness();
  const path = join(folder, 'state.json');
  await witness.ask(await log.request(entries(4), 0));
  rmSync(path);
  expect(await witness.ask(await log.request(entries(5), 4))).toMatchObject({ status: 200 });
  const content = readFileSync(path, 'utf8').replace('"size": 5', '"size": 6');
  writeFileSync(path, content);
  expect(await witness.ask(await log.request(entries(7), 5))).toMatchObject({ status: 500 });
  expect(witness.reports.at(-1)?.message).toContain('something else has changed');
  expect(readFileSync(path, 'utf8')).toBe(content);
});

test('refuses what is not a checkpoint of a log that it knows', async () => {
  await using witness = await startWitness();
  const request = await log.request(entries(4), 0);
  expect((await witness.ask('')).status).toBe(400);
  expect((await witness.ask(request.replace('old 0', 'old 00'))).status).toBe(400);
  expect((await witness.ask(request.replace('\n4\n', '\n5\n'))).status).toBe(403);
  const other = new SignedLog('files.example.org/log/2');
  expect((await witness.ask(await other.request(entries(4), 0))).status).toBe(404);
  const impostor = new SignedLog('files.example.org/log/1');
  expect((await witness.ask(await impostor.request(entries(4), 0))).status).toBe(403);
  expect((await witness.ask('x'.repeat(300_000))).status).toBe(413);
});

test('after kill -9 between storing and responding, it continues from what it stored', async () => {
  await createKeyFile(join(folder, 'key.json'), 'witness.example.com/w1', false);
  const here = (name: string) => new URL(name, import.meta.url).href;
  const program = `
    import { createWitnessServer } from ${JSON.stringify(here('./serve-witness.ts'))};
    import { readKeyFile } from ${JSON.stringify(here('./key-file.ts'))};
    import { StateFile } from ${JSON.stringify(here('./state-file.ts'))};
    import { parseVerifierKey } from '@waybill/evidence';
    const keys = await readKeyFile('key.json', () => ${now});
    const state = await StateFile.open('state.json');
    const put = async (origin, next) => { await state.put(origin, next); process.kill(process.pid, 'SIGKILL'); };
    const server = createWitnessServer({ ...keys, logs: [parseVerifierKey(process.argv[1])],
      state: { get: (origin) => state.get(origin), put }, report: () => undefined });
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
  // Beside this file, so that it finds the same packages.
  const script = new URL(`./killed-witness-${process.pid}.ts`, import.meta.url).pathname;
  writeFileSync(script, program.replace('process.argv[1]', 'process.argv[2]'));
  try {
    const child = spawn(process.execPath, ['--conditions=source', script, log.vkey], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    const exited = once(child, 'exit');
    const url = `http://127.0.0.1:${String(port).trim()}/add-checkpoint`;
    await expect(fetch(url, { method: 'POST', body: await log.request(entries(5), 0) })).rejects.toThrow();
    expect(await exited).toEqual([null, 'SIGKILL']);
  } finally {
    rmSync(script);
  }
  await using witness = await startWitness();
  expect(await witness.ask(await log.request(fork(6), 0))).toMatchObject({ status: 409, body: '5\n' });
  expect(await witness.ask(await log.request(entries(5), 5))).toMatchObject({ status: 200 });
});

test('two processes cannot share a state, and a damaged one is not overwritten', async () => {
  const path = join(folder, 'state.json');
  const first = await StateFile.open(path);
  await expect(StateFile.open(path)).rejects.toMatchObject({ code: 'state_in_use' });
  first.close();
  writeFileSync(path, '{"logs":');
  await expect(StateFile.open(path)).rejects.toMatchObject({ code: 'state_damaged' });
  writeFileSync(path, '{"logs":{}}');
  (await StateFile.open(path)).close();
  rmSync(path);
  await expect(StateFile.open(path)).rejects.toMatchObject({ code: 'state_missing' });
});

test('the commands create a key that only its owner can read, and run until they are interrupted', async () => {
  const terminal = fakeTerminal(folder);
  const keyFile = join(folder, 'new-key.json');
  const state = join(folder, 's.json');
  const init = ['witness', 'init', '--name', 'witness.example.com/w2', '--key-file', keyFile, '--state', state];
  expect(await run(terminal, [...init, '--post-quantum'], never, '1')).toBe(0);
  const printed = terminal.output.text.trim().split('\n');
  expect(printed.map((vkey) => parseVerifierKey(vkey))).toMatchObject([{ type: 4 }, { type: 6 }]);
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  expect(await run(fakeTerminal(folder), init, never, '1')).toBe(1);
  // The key of a witness that was not created is not left behind.
  expect(await run(fakeTerminal(folder), init.with(5, join(folder, 'other.json')), never, '1')).toBe(1);
  expect(existsSync(join(folder, 'other.json'))).toBe(false);
  const stop = new AbortController();
  const running = fakeTerminal(folder);
  running.errors.onWrite = (text) => text.startsWith('Listening') && stop.abort();
  const witness = ['witness', '--key-file', keyFile, '--state', state, '--listen', '127.0.0.1:0'];
  expect(await run(running, [...witness, '--log', log.vkey], stop.signal, '1')).toBe(130);
  expect(await run(fakeTerminal(folder), witness, never, '1')).toBe(2);
  chmodSync(keyFile, 0o644);
  const exposed = fakeTerminal(folder);
  expect(await run(exposed, [...witness, '--log', log.vkey], never, '1')).toBe(1);
  expect(exposed.errors.text).toContain('chmod 600');
});
