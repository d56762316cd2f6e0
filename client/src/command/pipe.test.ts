// Runs the program as a process, in a real pipe.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { succeed, WireServer } from '../testing/wire-server.ts';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
/** More than a pipe holds. */
const entries = 1_000;

async function inShell(server: WireServer, command: string) {
  const child = spawn(
    'bash',
    ['--norc', '-c', `set -o pipefail; waybill() { "$node" --conditions=source "$main" "$@"; }; ${command}`],
    {
      env: {
        PATH: process.env['PATH'],
        HOME: '/nonexistent',
        WAYBILL_URL: server.baseUrl,
        WAYBILL_USER: 'alpha@machines.test',
        WAYBILL_API_KEY: 'wb_key',
        node: process.execPath,
        main,
      },
    },
  );
  const [stdout, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { stdout, stderr, exitCode: exitCode as number | null };
}

function longInbox(): Promise<WireServer> {
  const sender = 'a@example.org';
  const at = '2023-11-14T22:13:20Z';
  const reference = 'WB-7F3K-29QD';
  const entry = { id: 'e', sender, state: 'available', file_count: 1, received_at: at, reference, external_id: null };
  const details = { ...entry, files: [{ path: `${'a'.repeat(100)}.txt` }] };
  const data = Array.from({ length: entries }, () => entry);
  return WireServer.start(({ path }, response) =>
    succeed(response, path === 'inbox/e' ? details : { data, next_cursor: null }),
  );
}

test.each([
  ['waybill inbox | head -n 1', 1],
  ['waybill --json inbox | head -n 2', 2],
  ['waybill inbox | true', 0],
  ['waybill --help | head -n 1', 1],
  ['waybill frobnicate 2>&1 | true', 0],
])('%s ends quietly', async (command, lines) => {
  await using server = await longInbox();
  const { stdout, stderr, exitCode } = await inShell(server, command);
  expect(stderr).toBe('');
  expect(stdout.split('\n')).toHaveLength(lines + 1);
  // A command that fails before its reader is gone reports the failure.
  expect(command.includes('frobnicate') ? [0, 2] : [0]).toContain(exitCode);
});

test('a reader that reads to the end gets everything', async () => {
  await using server = await longInbox();
  const { stdout, exitCode } = await inShell(server, 'waybill inbox | cat');
  expect([stdout.split('\n').length - 1, exitCode]).toEqual([entries, 0]);
});

test('a full disk is a failure, reported in one line', async () => {
  await using server = await longInbox();
  const { stderr, exitCode } = await inShell(server, 'waybill inbox > /dev/full');
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^waybill: The output cannot be written: .*\n$/);
});
