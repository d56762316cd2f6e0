import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fakeTerminal } from '../../testing/fake-terminal.ts';
import { succeed, WireServer } from '../../testing/wire-server.ts';
import { run } from '../run.ts';

const received = (name: string, state = 'available') => ({
  id: name,
  state,
  sender: 'b@example.org',
  reference: 'WB-7F3K-29QD',
  external_id: name === 'newest.txt' ? 'order-4711' : null,
  file_count: 1,
  received_at: '1970-01-01T00:00:00.000Z',
  files: [{ path: name }],
});
const full = [received('newest.txt'), received('older.txt', 'parked'), received('oldest.txt')];

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'client-lists-'));
});
afterEach(() => rmSync(home, { recursive: true }));

async function runInbox(entries: ReturnType<typeof received>[], words: string, columns?: number) {
  await using server = await WireServer.start(({ path }, response) =>
    succeed(
      response,
      entries.find(({ id }) => path === `inbox/${id}`) ?? {
        data: entries.filter(({ state }) => !path.includes('state=') || path.includes(`state=${state}`)),
        next_cursor: null,
      },
    ),
  );
  const account = {
    WAYBILL_URL: server.baseUrl,
    WAYBILL_USER: 'alpha@machines.test',
    WAYBILL_API_KEY: 'wb_key',
    NO_COLOR: '1',
  };
  const terminal = fakeTerminal(home, account);
  if (columns !== undefined) Object.assign(terminal.output, { isTTY: true, columns });
  expect(await run(terminal, words.split(' '), new AbortController().signal, '1')).toBe(0);
  return { lines: terminal.output.text.trimEnd().split('\n'), notices: terminal.errors.text, paths: server.paths() };
}

describe('waybill inbox', () => {
  const newest =
    '1970-01-01T00:00:00.000Z\tb@example.org\tavailable\tnewest.txt\t\tnewest.txt\tWB-7F3K-29QD\torder-4711';

  test('shows one line per entry, the newest first', async () => {
    const { lines } = await runInbox(full, 'inbox');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toBe(newest);
  });

  test('shows no more entries than the limit', async () => {
    const { lines } = await runInbox(full, 'inbox --limit 2');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toBe(newest);
  });

  test('shows only entries in the given state', async () => {
    const { lines } = await runInbox(full, 'inbox --state parked');
    expect(lines).toEqual([expect.stringContaining('older.txt')]);
  });

  test('finds entries by external id or by reference', async () => {
    for (const filter of ['external_id=order-4711', 'reference=WB-7F3K-29QD']) {
      const [name = '', value = ''] = filter.split('=');
      const { lines, paths } = await runInbox(full, `inbox --${name.replace('_', '-')} ${value}`);
      expect(lines[0]).toBe(newest);
      expect(paths[0]).toBe(`GET inbox?limit=100&${filter}`);
    }
    const { notices } = await runInbox([], 'inbox --external-id order-4711');
    expect(notices).toContain('Nothing matches the filter.');
  });

  test('shortens the sender and the files on a narrow terminal, but never the id that `release` needs', async () => {
    const id = '0190b2c8-1f7a-7c3e-9d61-5a1b2c3d4e63';
    const entry = {
      ...received(id),
      sender: 'a.very.long.address@department.example.org',
      files: [{ path: 'x'.repeat(99) }],
    };
    const { lines } = await runInbox([entry], 'inbox', 80);
    expect(lines[0]).toMatch(/^RECEIVED +FROM +STATE +FILES +ID$/);
    expect(lines[1]).toMatch(new RegExp(`^1970-01-01 .* a\\..*…  available  x+…  ${id}$`));
    expect(lines.map((line) => line.length <= 80)).toEqual([true, true]);
    const narrow = await runInbox([entry], 'inbox', 40);
    expect(narrow.lines[1]).toContain(id);
  });

  test('says so if there is nothing', async () => {
    const { lines, notices } = await runInbox([], 'inbox');
    expect(lines).toEqual(['']);
    expect(notices).toContain('The inbox is empty.');
  });
});
