// Runs every example of every --help against a server that has one object of every kind.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dropDetails, exampleContent, startExampleServer } from '../testing/example-server.ts';
import { fakeTerminal, withUserInput } from '../testing/fake-terminal.ts';
import { parseExamples, parseShellWords } from '../testing/help-examples.ts';
import type { WireServer } from '../testing/wire-server.ts';
import { exitCodes } from './exit-codes.ts';
import { flattenCommands, makeProgram } from './program.ts';
import { run } from './run.ts';
import { createKeyFile } from './witness/key-file.ts';
import { StateFile } from './witness/state-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'waybill-examples-'));
const readExample = (name: string) => readFileSync(new URL(`../../../docs/examples/${name}`, import.meta.url), 'utf8');
const content: Record<string, string> = {
  'receipt.json': readExample('receipt.json'),
  'policy.txt': readExample('receipt-policy.txt'),
  'authority.pem': readExample('time-stamp-ca.pem'),
  'key-file': 'wb_key\n',
  'report.pdf': exampleContent['report.pdf'] as string,
  'report.csv': 'a,report',
  'contract.pdf': 'a contract',
  'contacts.csv': 'email,nick\nbo@example.com,Bo\n',
  'contacts.json': '[{"email":"bo@example.com"}]',
};
for (const [name, text] of Object.entries(content)) writeFileSync(join(folder, name), text);
mkdirSync(join(folder, 'drawings'));
mkdirSync(join(folder, 'out'));
writeFileSync(join(folder, 'drawings/plan.pdf'), exampleContent['drawings/plan.pdf'] as string);

/** Set by the running test; called when a command that does not end by itself has done its work. */
let atWork: (() => void) | undefined;
let server: WireServer;
beforeAll(async () => {
  const policy = (response: ServerResponse) => void response.end(content['policy.txt']);
  const completed = { ...dropDetails, receivers: dropDetails.receivers.slice(0, 1) };
  server = await startExampleServer(
    { 'GET /log/policy': policy, 'GET log/policy': policy, 'GET drops/ID': completed },
    (what) => {
      if (['GET account', 'GET events', 'POST inbox/claim', 'POST drops/check'].includes(what)) atWork?.();
    },
  );
  const token = 'hIXk0Q2Jr8vYt4mZ1cN7aEw5LbPfS9dUoG3xRjKyTqA';
  content['link.txt'] = `${server.baseUrl}/d/${token}\n`;
  content['request.txt'] = `${server.baseUrl}/u/${token}\n`;
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

function examples(): string[] {
  const never = new AbortController().signal;
  const all = flattenCommands(makeProgram(fakeTerminal(folder), never, '1')).flatMap((command) => {
    let help = '';
    command.configureOutput({ writeOut: (text) => (help += text) });
    command.outputHelp();
    return parseExamples(help);
  });
  return [...new Set(all)];
}

/** Replaces fictitious names by those of this machine and of the test's server. */
function here(word: string): string {
  if (word.startsWith('https://files.example.org')) return word.replace('https://files.example.org', server.baseUrl);
  if (word === 'orders@example.org') return 'alpha@machines.test';
  if (word.startsWith('/usr/local/bin/')) return 'true';
  if (word === '/srv/in' || word === '/srv/out') return join(folder, word.slice('/srv/'.length));
  if (/^(?:(?:new|witness)-(?:key|state)\.json|receipt\.pdf)$/.test(word)) return join(folder, word);
  return Object.hasOwn(content, word) || word === 'drawings/' ? join(folder, word) : word;
}

test.each(examples())('%s', async (example) => {
  // A shell would have truncated the files that examples write to.
  const words = parseShellWords(example, folder);
  for (const [name, text] of Object.entries(content)) writeFileSync(join(folder, name), text);
  const isWitness = words.includes('witness') && !words.includes('init');
  const isWatch = words[0] === 'watch' && !words.includes('--once');
  const isEndless = words.includes('--watch') || words.includes('listen') || isWitness || isWatch;
  const stop = new AbortController();
  atWork = isEndless ? () => stop.abort() : undefined;
  const environment = { WAYBILL_URL: server.baseUrl, WAYBILL_USER: 'alpha@machines.test', WAYBILL_API_KEY: 'wb_key' };
  const terminal = fakeTerminal(folder, environment, example.includes('< key-file') ? 'wb_key\n' : 'something');
  const fromInput = words.includes('-') || example.includes('<');
  if (!fromInput) withUserInput(terminal, (question) => (question.includes('y/N') ? 'y' : replyTo(question)));
  for (const name of ['new-key.json', 'witness-state.json']) rmSync(join(folder, name), { force: true });
  if (isWitness) {
    terminal.errors.onWrite = (text) => text.startsWith('Listening') && stop.abort();
    await createKeyFile(join(folder, 'witness-key.json'), 'witness.example.com/w1', false);
    await StateFile.create(join(folder, 'witness-state.json'));
  }
  const exit = await run(terminal, words.map(here), stop.signal, '1');
  rmSync(join(folder, 'witness-key.json'), { force: true });
  expect({ exit, errors: exit === exitCodes.success ? '' : terminal.errors.text }).toEqual(
    isEndless && !isWatch
      ? { exit: exitCodes.interrupted, errors: expect.not.stringContaining('nterrupted') }
      : { exit: 0, errors: '' },
  );
});

function replyTo(question: string): string {
  return question.includes('key') ? 'wb_key' : 'alpha@machines.test';
}
