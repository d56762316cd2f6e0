// A command says at once why it takes long. Its pauses are not waited for: they are only counted.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { defaultRuntime } from '../runtime.ts';
import { fakeTerminal } from '../testing/fake-terminal.ts';
import { refuse, succeed, WireServer } from '../testing/wire-server.ts';
import { run } from './run.ts';

/** Nothing listens there. */
const deadServer = 'http://127.0.0.1:1';
const erase = '\r\u001b[2K';
let waitedMs: number;

beforeEach(() => {
  waitedMs = 0;
  vi.spyOn(defaultRuntime, 'sleep').mockImplementation(async (milliseconds) => void (waitedMs += milliseconds));
  // The longest pauses.
  vi.spyOn(defaultRuntime, 'random').mockReturnValue(1);
});
afterEach(() => vi.restoreAllMocks());

const runOn = async (terminal: ReturnType<typeof fakeTerminal>, words: string) =>
  await run(terminal, words.split(' '), new AbortController().signal, '1.2.3');

function makeTerminal(url = deadServer, isTTY = true) {
  const account = { WAYBILL_URL: url, WAYBILL_USER: 'alpha@machines.test', WAYBILL_API_KEY: 'wb_key' };
  const terminal = fakeTerminal('/', account, 'wb_key\n');
  terminal.errors.isTTY = isTTY;
  return terminal;
}

const refused = 'waybill: 127.0.0.1:1 cannot be reached: the connection was refused.\n';

describe.each([
  ['history', 8],
  [`send ${import.meta.filename} --to anna@example.com`, 8],
  ['whoami', 3],
  [`login ${deadServer} --user alpha@machines.test`, 3],
])('waybill %s, while the server is down', (words, attempts) => {
  test(`makes ${attempts} attempts, and says which one in the same line`, async () => {
    const terminal = makeTerminal();
    expect(await runOn(terminal, words)).toBe(5);
    const [, ...lines] = terminal.errors.text.split(erase);
    const last = lines.pop();
    // A send makes two calls at the same time.
    expect([...new Set(lines)]).toEqual(
      Array.from(
        { length: attempts - 1 },
        (_, retry) => `Attempt ${retry + 2} of ${attempts}: 127.0.0.1:1 cannot be reached: the connection was refused`,
      ),
    );
    expect(last?.replaceAll(/\n {9}/g, ' ')).toContain(refused.trim());
  });

  test('says it once elsewhere', async () => {
    const terminal = makeTerminal(deadServer, false);
    expect(await runOn(terminal, words)).toBe(5);
    expect(terminal.errors.text).toMatch(
      `127.0.0.1:1 cannot be reached: the connection was refused. Trying again …\n${refused}`,
    );
    expect(terminal.errors.text.match(/Trying again/g)).toHaveLength(1);
  });

  test('with --json prints nothing but the failure', async () => {
    const terminal = makeTerminal();
    expect(await runOn(terminal, `--json ${words}`)).toBe(5);
    expect(JSON.parse(terminal.errors.text)).toMatchObject({ status: 'error', code: 'unreachable' });
  });
});

test('a wrong address is reported within a second, and a server may be down for longer while files are sent', async () => {
  await runOn(makeTerminal(), 'whoami');
  expect(waitedMs).toBeGreaterThan(0);
  expect(waitedMs).toBeLessThan(1_000);
  waitedMs = 0;
  await runOn(makeTerminal(), `send ${import.meta.filename} --to anna@example.com`);
  expect(waitedMs).toBeGreaterThan(15_000);
});

test('the line is gone when the server has responded', async () => {
  const failures = [7, undefined];
  await using server = await WireServer.start((_seen, response) => {
    if (failures.length === 0) return succeed(response, { data: [], next_cursor: null });
    const seconds = failures.shift();
    refuse(response, 503, 'unavailable', { headers: seconds === undefined ? {} : { 'Retry-After': String(seconds) } });
  });
  const terminal = makeTerminal(server.baseUrl);
  expect(await runOn(terminal, 'history')).toBe(0);
  expect(terminal.errors.text).toBe(
    `${erase}Attempt 2 of 8 in 7 s: The server is temporarily unavailable` +
      `${erase}Attempt 3 of 8: The server is temporarily unavailable${erase}Nothing has been sent yet.\n`,
  );
});

test('the line is gone before the output begins', async () => {
  let isDown = true;
  await using server = await WireServer.start((_seen, response) => {
    if (isDown) refuse(response, 503, 'unavailable');
    else succeed(response, { data: [], next_cursor: null });
    isDown = false;
  });
  const terminal = makeTerminal(server.baseUrl);
  let before = '';
  terminal.output.onWrite = () => (before ||= terminal.errors.text);
  expect(await runOn(terminal, 'contacts export')).toBe(0);
  expect(before).toMatch(/^.+Attempt 2.+\r\u001b\[2K$/s);
});
