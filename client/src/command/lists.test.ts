import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fakeTerminal } from '../testing/fake-terminal.ts';
import { succeed, WireServer } from '../testing/wire-server.ts';
import { run } from './run.ts';

const file = (name: string) => ({ name, settings: '[]' });
const requested = (name: string) => ({
  drop_type: 'uploadfiles',
  create_time: '0',
  ttl: '7',
  receivers: [{ email: 'anna@example.org', number: '', language: '', groups: [], nick: '' }],
  ddmessage: `about ${name}\nmore`,
  sender: {},
  files: [],
});
const received = (name: string) => ({
  ttl: '7',
  createtime: '0',
  sender: 'b@example.org',
  files: [file(name)],
  url: name,
});
const full = {
  history: [requested('newest.txt'), requested('older.txt'), requested('oldest.txt')],
  live_drops: '3',
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

describe.each([
  { list: 'inbox', line: /^1970-01-01T00:00:00\.000Z\tb@example\.org\tnewest\.txt$/, nothing: 'The inbox is empty.' },
  {
    list: 'history --requests',
    line: /\tanna@example\.org\tabout newest\.txt$/,
    nothing: 'Nobody has been asked for files yet.',
  },
])('waybill $list', ({ list, line, nothing }) => {
  test('shows a line an entry, the newest first', async () => {
    const { lines } = await said(full, list);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(line);
  });

  test('shows no more than it is asked for', async () => {
    const { lines } = await said(full, `${list} --limit 2`);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(line);
  });

  test('says so where there is nothing', async () => {
    const { lines, notices } = await said(empty, list);
    expect(lines).toEqual(['']);
    expect(notices).toContain(nothing);
  });
});
