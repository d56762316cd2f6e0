// The client for Python: docs/examples/exchange.py and the examples of docs/python.md, as an integrator would run them.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { Waybill } from '../../client/src/index.ts';
import { collect } from '../../client/src/testing/collect.ts';
import { eicar } from '../../tools/shared/eicar.ts';
import { python, pythonEnvironment } from '../../tools/shared/python.ts';
import { readPythonExamples } from '../../tools/shared/python-examples.ts';
import { type Account, createAccount } from '../lib/accounts.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { ended, Person } from './command.ts';

const execute = promisify(execFile);
const exchange = fileURLToPath(new URL('../../docs/examples/exchange.py', import.meta.url));
const mebibyte = 1024 * 1024;
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

/** A program with an account, and a folder of its own. */
class Program extends Person {
  readonly env = { ...pythonEnvironment, ...this.environment };

  async run(...words: string[]): Promise<string> {
    return (await execute(python, words, { cwd: this.home, env: this.env })).stdout;
  }

  override start(...words: string[]): ChildProcess {
    return spawn(python, words, { cwd: this.home, env: this.env });
  }

  write(name: string, content: string | Buffer): void {
    mkdirSync(join(this.home, name, '..'), { recursive: true });
    writeFileSync(join(this.home, name), content);
  }

  read(name: string): Buffer {
    return readFileSync(join(this.home, name));
  }
}

async function startTwo(): Promise<[sender: Program, receiver: Program]> {
  const accounts = await Promise.all([createAccount('python-a'), createAccount('python-b')]);
  const [sender, receiver] = accounts.map((account) => {
    const program = new Program(account);
    onTestFinished(() => program[Symbol.dispose]());
    return program;
  });
  return [sender as Program, receiver as Program];
}

function clientOf({ user, apiKey }: Account): Waybill {
  const client = new Waybill({ baseUrl: demo().base_url, user, apiKey });
  onTestFinished(() => client.close());
  return client;
}

/** Waits until the process has printed something that matches. */
async function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  let text = '';
  for await (const piece of child.stdout ?? []) {
    text += String(piece);
    if (pattern.test(text)) return text;
  }
  throw new Error(`it ended, and printed only: ${text}`);
}

async function listStates(account: Account): Promise<string[]> {
  return (await collect(clientOf(account).inbox.list())).map(({ state }) => state);
}

test('a program sends files, and a worker of another account fetches them as they arrive', async () => {
  const [sender, receiver] = await startTwo();
  const contents = new Map([
    ['empty.bin', Buffer.alloc(0)],
    ['smörgås.txt', Buffer.from('smörgås')],
    ['large.bin', randomBytes(20 * mebibyte + 1)],
  ]);
  for (const [name, content] of contents) sender.write(name, content);
  const worker = receiver.start(exchange, 'work', 'incoming');
  const end = ended(worker);
  const to = ['--to', receiver.account.user, '--message', 'As agreed.'];
  expect(await sender.run(exchange, 'send', ...contents.keys(), ...to)).toMatch(/^Sent as WB-\S+, until 20\S+\.$/m);
  await printed(worker, /(?:.*\n){3}/);
  worker.kill('SIGTERM');
  expect(await end).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await listStates(receiver.account)).toEqual(['acknowledged']);
  const [entry = ''] = readdirSync(join(receiver.home, 'incoming'));
  expect(readdirSync(join(receiver.home, 'incoming', entry)).toSorted()).toEqual([...contents.keys()].toSorted());
  for (const [name, content] of contents) {
    expect(sha256(receiver.read(`incoming/${entry}/${name}`)), name).toBe(sha256(content));
  }
});

test('a send whose process is killed continues, and sends one drop', async () => {
  const [sender, receiver] = await startTwo();
  const film = randomBytes(24 * mebibyte);
  sender.write('film.mov', film);
  const words = [exchange, 'send', 'film.mov', '--to', receiver.account.user, '--key', 'order-4711'];
  const killed = sender.start(...words);
  const end = ended(killed);
  await printed(killed, /: 1[6-9]\d{6} of /);
  killed.kill('SIGKILL');
  expect((await end).signal).toBe('SIGKILL');
  const [, first] = /film\.mov: (\d+) of/.exec(await sender.run(...words)) ?? [];
  expect(Number(first)).toBeGreaterThan(8 * mebibyte);
  const [, again] = /Sent as (\S+),/.exec(await sender.run(...words)) ?? [];
  const drops = await collect(clientOf(sender.account).drops.list());
  expect(drops.map(({ reference }) => reference)).toEqual([again]);
  const program = `
from waybill import Waybill
with Waybill() as waybill:
    for entry in waybill.inbox.list():
        waybill.inbox.download(waybill.inbox.get(entry["id"]), "in")`;
  await receiver.run('-c', program);
  expect(sha256(receiver.read('in/film.mov'))).toBe(sha256(film));
});

test('memory does not grow with the size of a file', async () => {
  const [sender, receiver] = await startTwo();
  sender.write('film.mov', Buffer.alloc(48 * mebibyte, randomBytes(mebibyte)));
  // Unlike getrusage, this does not count the process that started it.
  const measure = 'import re; print(int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) // 1024)';
  const send = `
from waybill import Waybill
with Waybill() as waybill:
    waybill.send(["film.mov"], ["${receiver.account.user}"])
${measure}`;
  const fetch = `
from waybill import Waybill
with Waybill() as waybill:
    [entry] = waybill.inbox.claim()
    waybill.inbox.download(waybill.inbox.get(entry["id"]), "in")
${measure}`;
  const sent = Number(await sender.run('-c', send));
  expect(sent).toBeGreaterThan(10);
  expect(sent).toBeLessThan(64);
  expect(Number(await receiver.run('-c', fetch))).toBeLessThan(64);
});

test('a program says what is wrong', async () => {
  const [sender] = await startTwo();
  sender.write('bad.com', eicar);
  sender.write('good.txt', 'good');
  await expect(sender.run(exchange, 'send', 'bad.com', '--to', 'r@example.org')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^exchange: .*bad\.com/),
  });
  await expect(sender.run(exchange, 'send', 'good.txt', '--to', 'nobody')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^exchange: .*\n?.*\/receivers\/0\/email/),
  });
});

test('an entry whose handler fails waits as the server says, and a worker without its key ends', async () => {
  const [sender, receiver] = await startTwo();
  const files = [{ name: 'a.txt', content: 'a' }];
  await clientOf(sender.account).send({ files, to: [receiver.account.user] });
  const program = `
import threading
from waybill import Waybill
stop = threading.Event()
def note(error, entry):
    print(repr(error), entry.attempts)
    stop.set()
with Waybill() as waybill:
    waybill.inbox.work(lambda entry: 1 / 0, stop=stop, on_error=note)
    [entry] = waybill.inbox.list()
    print(entry["state"], entry["attempts"], entry["available_at"] > entry["received_at"])`;
  expect(await receiver.run('-c', program)).toBe("ZeroDivisionError('division by zero') 1\navailable 1 True\n");
  const wrongKey = `
from waybill import Waybill, WaybillError
try:
    Waybill(api_key="wb_wrong").inbox.work(print)
except WaybillError as error:
    print(error.code)`;
  expect(await receiver.run('-c', wrongKey)).toBe('unauthorized\n');
});

/** The output of each example in docs/python.md, and the machine on which it runs. */
const examples: Record<string, { on: 'sender' | 'receiver'; output: RegExp; endless?: true }> = {
  'Send files': { on: 'sender', output: /^WB-\S+ 20\S+\n$/ },
  'Send files 2': { on: 'sender', output: /^$/ },
  'Send files 3': { on: 'sender', output: /^WB-\S+ is not completed yet\n$/ },
  'Resume a send': { on: 'sender', output: /^is sent\n$/ },
  'Work on what arrives': { on: 'receiver', output: /^\S+ incoming\/\S+\/report\.pdf [0-9a-f]{64}\n$/, endless: true },
  'Download files': { on: 'receiver', output: /^copies\/\S+\/report\.pdf 10\n$/ },
  'Download files 2': { on: 'receiver', output: /^report\.pdf is no archive\n$/ },
  'Follow events': { on: 'receiver', output: /^20\S+ inbox\.received \{.*\}\n$/, endless: true },
  'Handle errors': {
    on: 'sender',
    output: /^invalid_input 4\d\d False None urn:waybill:\S+\n.*\n?.*\/receivers\/0\/email/,
  },
};
// The receiver of webhooks is run by tools/check/webhook-guide-python.test.ts, which can sign as the server does.
const run = readPythonExamples().filter(({ title }) => title !== 'Verify a webhook');

test('every example has a test', () => {
  expect(run.map(({ title }) => title)).toEqual(Object.keys(examples));
});

test.each(run)('the example of "$title" does what it says', async ({ title, code }) => {
  const { on, output, endless } = examples[title] as (typeof examples)[string];
  const [sender, receiver] = await startTwo();
  const files = [{ name: 'report.pdf', content: 'the report' }];
  if (on === 'receiver' || title === 'Send files 3')
    await clientOf(sender.account).send({ files, to: [receiver.account.user] });
  const program = on === 'sender' ? sender : receiver;
  for (const name of ['report.pdf', 'drawings/plan.pdf', 'film.mov']) {
    if (on === 'sender') program.write(name, 'the report');
  }
  program.write('example.py', code.replaceAll('anna@example.com', receiver.account.user));
  if (!endless) {
    expect(await program.run('example.py')).toMatch(output);
    return;
  }
  const started = program.start('example.py');
  const end = ended(started);
  expect(await printed(started, /\n/)).toMatch(output);
  started.kill('SIGTERM');
  const { exitCode, signal } = await end;
  expect(exitCode === 0 || signal === 'SIGTERM').toBe(true);
  expect(existsSync(join(program.home, 'incoming'))).toBe(title === 'Work on what arrives');
});
