import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
