import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fakeTerminal } from '../testing/fake-terminal.ts';
import { succeed, WireServer } from '../testing/wire-server.ts';
import { run } from './run.ts';

const file = (name: string) => ({ name, settings: '[]' });
const received = (name: string) => ({
  ttl: '7',
  createtime: '0',
  sender: 'b@example.org',
  files: [file(name)],
  url: name,
});
const full = {
  history: [],
  live_drops: '0',
  inbox: [received('newest.txt'), received('older.txt'), received('oldest.txt')],
};
const empty = { history: [], live_drops: '0', inbox: [] };

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'client-lists-'));
});
afterEach(() => rmSync(home, { recursive: true }));

async function said(answer: object, words: string) {
  await using server = await WireServer.start((_seen, response) => succeed(response, answer));
  const account = { WAYBILL_URL: server.baseUrl, WAYBILL_USER: 'alpha@machines.test', WAYBILL_API_KEY: 'wb_key' };
  const terminal = fakeTerminal(home, account);
  expect(await run(terminal, words.split(' '), new AbortController().signal, '1')).toBe(0);
  return { lines: terminal.output.text.trimEnd().split('\n'), notices: terminal.errors.text };
}

describe('waybill inbox', () => {
  const newest = '1970-01-01T00:00:00.000Z\tb@example.org\tnewest.txt';

  test('shows a line an entry, the newest first', async () => {
    const { lines } = await said(full, 'inbox');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toBe(newest);
  });

  test('shows no more than it is asked for', async () => {
    const { lines } = await said(full, 'inbox --limit 2');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toBe(newest);
  });

  test('says so where there is nothing', async () => {
    const { lines, notices } = await said(empty, 'inbox');
    expect(lines).toEqual(['']);
    expect(notices).toContain('The inbox is empty.');
  });
});
