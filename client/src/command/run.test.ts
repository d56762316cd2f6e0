import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeTerminal, fakeTerminal } from '../testing/fake-terminal.ts';
import { refuse, succeed, WireServer } from '../testing/wire-server.ts';
import { run } from './run.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'client-command-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const never = new AbortController().signal;
const accountFile = () => join(home, '.config/waybill/account.json');

async function waybill(terminal: FakeTerminal, ...words: string[]): Promise<number> {
  return await run(terminal, words, never, '1.2.3');
}

function makeEnvironment(server: WireServer): Record<string, string> {
  return { WAYBILL_URL: server.baseUrl, WAYBILL_USER: 'alpha@machines.test', WAYBILL_API_KEY: 'wb_key' };
}

async function contactServer(): Promise<WireServer> {
  return await WireServer.start(({ path }, response) => {
    if (path === 'account') return succeed(response, { email: 'alpha@machines.test' });
    const details = { phone: '', language: '', groups: ['a'] };
    const anna = { email: 'anna@example.org', name: 'Anna\u001b[31m', ...details, list: 'local' };
    const all = { email: 'all@example.org', name: '', ...details, list: 'global' };
    if (path.endsWith('/check')) succeed(response, { contacts: [{ email: anna.email, result: 'unchanged' }] });
    else succeed(response, { data: path.includes('list=local') ? [anna] : [anna, all], next_cursor: null });
  });
}

describe('login', () => {
  test('stores a valid key, readable only by its owner', async () => {
    await using server = await contactServer();
    const terminal = fakeTerminal(home, {}, 'wb_key\n');
    expect(await waybill(terminal, 'login', server.baseUrl, '--user', 'Alpha@Machines.test')).toBe(0);
    expect(terminal.output.text).toBe(`Logged in as alpha@machines.test. The key is stored in ${accountFile()}.\n`);
    expect(statSync(accountFile()).mode & 0o777).toBe(0o600);
    const again = fakeTerminal(home);
    expect(await waybill(again, 'contacts', 'list')).toBe(0);
    expect(readdirSync(join(home, '.config/waybill'))).toEqual(['account.json']);
  });

  test('stores nothing if the key is invalid', async () => {
    await using server = await WireServer.start((_seen, response) => refuse(response, 401, 'unauthorized'));
    const terminal = fakeTerminal(home, {}, 'wb_wrong\n');
    expect(await waybill(terminal, 'login', server.baseUrl, '--user', 'alpha@machines.test')).toBe(3);
    expect(terminal.errors.text).toContain('The server does not accept this account and key.\n');
    expect(terminal.errors.text).toContain('Log in again with the account’s address');
    expect(readdirSync(home)).toEqual([]);
    const nothing = fakeTerminal(home);
    expect(await waybill(nothing, 'login', server.baseUrl, '--user', 'alpha@machines.test')).toBe(2);
  });

  test('without a terminal, the account must be named, and the key is not read as its address', async () => {
    const terminal = fakeTerminal(home, {}, 'wb_secret-key\n');
    expect(await waybill(terminal, 'login', 'https://files.example.org')).toBe(2);
    expect(terminal.errors.text).toBe('waybill: No account was given.\n         Name the account with --user.\n');
  });

  test.each([
    ['login', 'https://files.example.org', '--user', 'wb_secret-key'],
    ['wb_secret-key'],
    ['completion', 'wb_secret-key'],
    ['--json', 'inbox', '--limit', 'wb_secret-key'],
  ])('a key in a wrong place is not printed: %s', async (...words) => {
    const terminal = fakeTerminal(home);
    expect(await waybill(terminal, ...words)).toBe(2);
    expect(terminal.errors.text).toContain('wb_…');
    expect(terminal.errors.text).not.toContain('secret');
  });

  test('does not store the key of another account', async () => {
    await using server = await contactServer();
    const terminal = fakeTerminal(home, {}, 'wb_key\n');
    expect(await waybill(terminal, 'login', server.baseUrl, '--user', 'beta@machines.test')).toBe(3);
    expect(terminal.errors.text).toContain('The key belongs to alpha@machines.test.');
    expect(readdirSync(home)).toEqual([]);
  });

  test('a key that others can read is not used', async () => {
    await using server = await contactServer();
    await waybill(fakeTerminal(home, {}, 'wb_key\n'), 'login', server.baseUrl, '--user', 'alpha@machines.test');
    chmodSync(accountFile(), 0o640);
    const terminal = fakeTerminal(home);
    expect(await waybill(terminal, 'contacts', 'list')).toBe(3);
    expect(terminal.errors.text).toContain(`chmod 600 ${accountFile()}`);
  });
});

describe('a stored key', () => {
  const login = async (url: string) => {
    const account = { url, user: 'alpha@machines.test', api_key: 'wb_stored' };
    mkdirSync(join(home, '.config/waybill'), { recursive: true });
    writeFileSync(accountFile(), JSON.stringify(account), { mode: 0o600 });
  };

  test.each<[string, (server: WireServer) => Record<string, string>]>([
    ['server', ({ baseUrl }) => ({ WAYBILL_URL: baseUrl })],
    ['path', ({ baseUrl }) => ({ WAYBILL_ACCOUNT_FILE: accountFile(), WAYBILL_URL: `${baseUrl}/other` })],
    ['account', ({ baseUrl }) => ({ WAYBILL_URL: baseUrl, WAYBILL_USER: 'beta@machines.test' })],
  ])('is not sent to another %s', async (other, environment) => {
    await using server = await contactServer();
    await login(other === 'server' ? 'https://files.example.org' : server.baseUrl);
    const terminal = fakeTerminal(home, environment(server));
    expect(await waybill(terminal, 'contacts', 'list')).toBe(3);
    expect(terminal.errors.text).toContain('The stored key is for alpha@machines.test at');
    expect(terminal.errors.text).toContain(`waybill login ${environment(server)['WAYBILL_URL']}`);
    expect(terminal.errors.text).not.toContain('wb_stored');
    expect(server.requests).toEqual([]);
  });

  test('is used if the environment spells the same account differently', async () => {
    await using server = await contactServer();
    await login(server.baseUrl);
    const environment = { WAYBILL_URL: `${server.baseUrl.toUpperCase()}/`, WAYBILL_USER: 'Alpha@machines.test' };
    expect(await waybill(fakeTerminal(home, environment), 'contacts', 'list')).toBe(0);
  });

  test('does not prevent using a key in the environment for another server', async () => {
    await using server = await contactServer();
    await login('https://files.example.org');
    const environment = { WAYBILL_URL: server.baseUrl, WAYBILL_API_KEY: 'wb_key' };
    expect(await waybill(fakeTerminal(home, environment), 'contacts', 'list')).toBe(0);
    for (const { headers } of server.requests) {
      expect(headers.authorization).toBe('Bearer wb_key');
    }
  });
});

test('without an account, the message explains how to log in', async () => {
  const terminal = fakeTerminal(home);
  expect(await waybill(terminal, 'inbox')).toBe(3);
  expect(terminal.errors.text).toMatch(/not logged in\.\n.*waybill login/);
  const json = fakeTerminal(home);
  expect(await waybill(json, '--json', 'inbox')).toBe(3);
  expect(JSON.parse(json.errors.text)).toMatchObject({ status: 'error', code: 'not_logged_in' });
});

test('the key can come from the environment, or from a file that it names', async () => {
  await using server = await contactServer();
  expect(await waybill(fakeTerminal(home, makeEnvironment(server)), 'contacts', 'list')).toBe(0);
  const path = join(home, 'key');
  writeFileSync(path, 'wb_key\n');
  const { WAYBILL_API_KEY: _key, ...rest } = makeEnvironment(server);
  expect(await waybill(fakeTerminal(home, { ...rest, WAYBILL_API_KEY_FILE: path }), 'contacts', 'list')).toBe(0);
  expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer wb_key']));
});

test('text from others cannot control the terminal', async () => {
  await using server = await contactServer();
  const terminal = fakeTerminal(home, makeEnvironment(server));
  await waybill(terminal, 'contacts', 'list');
  expect(terminal.output.text).toBe(
    'anna@example.org\tAnna\ufffd[31m\t\t\ta\tlocal\nall@example.org\t\t\t\ta\tglobal\n',
  );
  const json = fakeTerminal(home, makeEnvironment(server));
  await waybill(json, 'contacts', 'list', '--json');
  const lines = json.output.text.trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { list: string }).list)).toEqual(['local', 'global']);
});

test.each([
  [['send', 'a.txt'], '--to'],
  [['send', '--to', 'a@example.org'], 'file'],
  [['send', 'a.txt', '--to', 'a@example.org', '--days', '0'], 'Use a whole number of days, such as 7.'],
  [['send', 'a.txt', '--to', 'a@example.org', '--language', 'swedish'], 'Use a tag such as en or pt-BR.'],
  [['frobnicate'], 'Unknown command'],
  [['completion', 'tcsh'], 'bash'],
])('%j is a usage error', async (words, hint) => {
  const terminal = fakeTerminal(home);
  expect(await waybill(terminal, ...words)).toBe(2);
  expect(terminal.errors.text).toContain(hint);
  expect(terminal.errors.text).toMatch(/^waybill: .*\n {9}See: waybill( send| completion)? --help\n$/);
  const json = fakeTerminal(home);
  expect(await waybill(json, '--json', ...words)).toBe(2);
  const failure = JSON.parse(json.errors.text) as { message: string };
  expect(failure).toMatchObject({ status: 'error', code: 'usage', next: expect.stringMatching(/^See: waybill/) });
  expect(failure.message).toContain(hint);
});

test('without a command, the help is shown', async () => {
  const terminal = fakeTerminal(home);
  expect(await waybill(terminal)).toBe(2);
  expect(terminal.errors.text).toContain('Usage: waybill');
  const json = fakeTerminal(home);
  expect(await waybill(json, '--json')).toBe(2);
  expect(JSON.parse(json.errors.text)).toMatchObject({ code: 'usage', message: 'No command was given.' });
});

test('every line of the list of commands fits a terminal of 80 columns', async () => {
  for (const words of [['--help'], ['contacts', '--help'], ['webhooks', '--help']]) {
    const terminal = fakeTerminal(home);
    expect(await waybill(terminal, ...words)).toBe(0);
    const [list = ''] = terminal.output.text.split('\nExamples:');
    expect(list.split('\n').filter((line) => line.length > 80)).toEqual([]);
  }
});

test('help and version are not errors', async () => {
  const version = fakeTerminal(home);
  expect(await waybill(version, '--version')).toBe(0);
  expect(version.output.text).toBe('1.2.3\n');
  expect(await waybill(fakeTerminal(home), 'send', '--help')).toBe(0);
});

test('an unreachable server has its own exit code and advice', async () => {
  const environment = { WAYBILL_URL: 'https://127.0.0.1:1', WAYBILL_USER: 'a@example.org', WAYBILL_API_KEY: 'k' };
  const terminal = fakeTerminal(home, environment);
  const stopped = AbortSignal.abort(new DOMException('stopped', 'AbortError'));
  expect(await run(terminal, ['inbox'], stopped, '1')).toBe(130);
  expect(terminal.errors.text).toContain('Interrupted.');
});

describe('completion', () => {
  async function script(shell: string): Promise<string> {
    const terminal = fakeTerminal(home);
    expect(await waybill(terminal, 'completion', shell)).toBe(0);
    return terminal.output.text;
  }

  test.each([
    [['con'], 'contacts'],
    [['contacts', 're'], 'remove'],
    [['send', '--me'], '--message'],
    [['--json', 'contacts', 'add', '--up'], '--update'],
    [['webhooks', 'at'], 'attempts'],
    [['history', '--state', 'li'], 'live'],
    [['keys', 'create', 'x', '--scope', 'hi'], 'history'],
    [['webhooks', 'listen', '--type', 'inbox.r'], 'inbox.received'],
    [['nothing-like-it'], ''],
  ])('bash completes %j', async (words, expected) => {
    writeFileSync(join(home, 'completion'), await script('bash'));
    const line = ['waybill', ...words].map((word) => `'${word}'`).join(' ');
    const ask = `source ./completion; COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _waybill; echo "\${COMPREPLY[*]}"`;
    expect(execFileSync('bash', ['-c', ask], { cwd: home, encoding: 'utf8' }).trim()).toBe(expected);
  });

  test.each(['zsh', 'fish'])('%s knows every command', async (shell) => {
    const text = await script(shell);
    for (const name of [
      'login',
      'send',
      'request',
      'inbox',
      'pull',
      'history',
      'contacts',
      'import',
      'show',
      'webhooks',
      'drop.completed',
    ]) {
      expect(text).toContain(name);
    }
  });
});

test('exported contacts can be imported', async () => {
  await using server = await contactServer();
  const exported = fakeTerminal(home, makeEnvironment(server));
  expect(await waybill(exported, 'contacts', 'export')).toBe(0);
  const path = join(home, 'contacts.json');
  writeFileSync(path, exported.output.text);
  const imported = fakeTerminal(home, makeEnvironment(server));
  expect(await waybill(imported, 'contacts', 'import', path)).toBe(0);
  expect(imported.output.text).toBe('Nothing to change: 1 contact is unchanged.\n');
  const [asked] = server.requests.filter(({ method }) => method === 'POST').map(({ body }) => body.toString());
  expect(asked).toBe(JSON.stringify({ contacts: JSON.parse(exported.output.text) as unknown }));
  expect(server.paths()).not.toContain('POST contacts/import'); // nothing had changed
  writeFileSync(path, '{"email":"a@example.org"}');
  expect(await waybill(fakeTerminal(home, makeEnvironment(server)), 'contacts', 'import', path)).toBe(2);
  expect(readFileSync(path, 'utf8')).toContain('a@example.org');
});
