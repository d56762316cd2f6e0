import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { collect } from '../../testing/collect.ts';
import { FolderScan } from './folder-scan.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'client-scan-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const settleMs = 10_000;
const write = (name: string, content = name) => writeFileSync(join(root, name), content);

function makeScan(limit?: number) {
  const scan = new FolderScan(
    {
      root,
      byFolder: false,
      settleMs,
      marker: false,
      isIgnored: () => false,
      events: { hindered: async () => undefined },
      acceptsFolder: () => true,
    },
    limit,
  );
  const look = async (at: number) => (await collect(scan.findReady(() => at))).map(({ name }) => name).toSorted();
  return { scan, look };
}

function replaceFile() {
  write('b', 'b');
  renameSync(join(root, 'b'), join(root, 'a'));
}

test('a file is ready when two looks, the given time apart, find the same', async () => {
  const { look } = makeScan();
  write('a');
  expect(await look(0)).toEqual([]);
  expect(await look(settleMs - 1)).toEqual([]);
  expect(await look(settleMs)).toEqual(['a']);
});

test.each([
  ['is appended to', () => appendFileSync(join(root, 'a'), 'more')],
  ['is replaced by one of the same size', replaceFile],
  ['is truncated', () => write('a', '')],
])('a file that %s waits anew', async (_what, change) => {
  const { look } = makeScan();
  write('a');
  await look(0);
  change();
  expect(await look(settleMs)).toEqual([]);
  expect(await look(2 * settleMs - 1)).toEqual([]);
  expect(await look(2 * settleMs)).toEqual(['a']);
});

test('a file that was removed and comes back waits anew', async () => {
  const { look, scan } = makeScan();
  write('a');
  await look(0);
  rmSync(join(root, 'a'));
  await look(1);
  expect(scan.isUnsettled).toBe(false);
  write('a');
  expect(await look(settleMs)).toEqual([]);
});

test('of a larger folder, a bounded number is observed, and files that are written for long do not stop the others', async () => {
  const { look, scan } = makeScan(10);
  const names = Array.from({ length: 30 }, (_, file) => `file-${file}`);
  for (const name of names) write(name);
  const busy = new Set(names.slice(0, 15));
  const found = new Set<string>();
  for (let pass = 0; pass < 40; pass += 1) {
    for (const name of busy) appendFileSync(join(root, name), 'x');
    for (const name of await look(pass * settleMs)) {
      found.add(name);
      rmSync(join(root, name));
    }
    if (pass === 0) expect(scan.isCrowded).toBe(true);
  }
  expect([...found].toSorted()).toEqual(names.filter((name) => !busy.has(name)).toSorted());
});

test.each([false, true])(
  'a file that cannot be looked at is reported, and others are found; with markers: %s',
  async (marker) => {
    // Its path is longer than the system accepts, although its folder can be read.
    const deep = join(root, ...Array.from({ length: 19 }, () => 'x'.repeat(200)));
    const longName = 'n'.repeat(245);
    for (const [folder, name] of [
      ['a@example.org', longName],
      ['b@example.org', 'short'],
    ] as const) {
      const cwd = join(deep, folder);
      mkdirSync(cwd, { recursive: true });
      execFileSync('touch', [name], { cwd });
      execFileSync('touch', [`${name}.ready`], { cwd });
    }
    const reported: string[] = [];
    const scan = new FolderScan({
      root: deep,
      byFolder: true,
      settleMs: 0,
      marker,
      isIgnored: (name) => !marker && name.endsWith('.ready'),
      events: { hindered: async ({ path }) => void reported.push(path) },
      acceptsFolder: () => true,
    });
    await collect(scan.findReady(() => 0));
    const ready = await collect(scan.findReady(() => 1));
    if (!marker) expect(ready.map(({ name }) => name)).toEqual(['short']);
    expect(new Set(reported)).toEqual(new Set([join(deep, 'a@example.org', longName + (marker ? '.ready' : ''))]));
  },
);
