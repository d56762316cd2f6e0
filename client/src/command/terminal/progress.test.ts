import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fakeTerminal } from '../../testing/fake-terminal.ts';
import { formatDuration, formatShare, formatSize, formatSpeed } from './format.ts';
import { findFileSize, Progress, toTotal } from './progress.ts';
import { textWidth } from './text-width.ts';

const megabyte = 1_000_000;

test('on a terminal it shows progress, speed and remaining time', () => {
  const terminal = fakeTerminal('/');
  terminal.errors.isTTY = true;
  let now = 0;
  const progress = new Progress(terminal, () => now);
  const totalBytes = 2000 * megabyte;
  for (let second = 0; second <= 10; second += 1) {
    now = second * 1000;
    progress.show({ name: 'film.bin', bytes: second * 50 * megabyte, totalBytes });
  }
  const last = terminal.errors.text.split('\r\u001b[2K').at(-1);
  expect(last).toBe('film.bin  [#######...................]   25%  0.5 of 2.0 GB, 50 MB/s, 30 s left');
  progress.clear();
  expect(terminal.errors.text.endsWith('\r\u001b[2K')).toBe(true);
});

test('it shows the sum of several files, also if they are transferred concurrently and restart', () => {
  const terminal = fakeTerminal('/');
  terminal.errors.isTTY = true;
  let now = 0;
  const progress = new Progress(terminal, () => now);
  progress.setTotal({ files: 3, totalBytes: 4000 * megabyte });
  const show = (name: string, megabytes: number, of: number) =>
    progress.show({ name, bytes: megabytes * megabyte, totalBytes: of * megabyte });
  show('a', 900, 900);
  show('b', 50, 1100);
  show('c', 100, 2000);
  show('b', 0, 1100);
  now = 1000;
  show('b', 38, 1100);
  const lines = terminal.errors.text.split('\r\u001b[2K');
  expect(lines.at(-1)).toBe('b  [#####................]   25%  1/3 files, 1.0 of 4.0 GB, 38 MB/s, 2 min left');
});

test('the sum is known if all sizes are', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'client-progress-'));
  const [one, two] = [join(folder, 'one'), join(folder, 'two')];
  writeFileSync(one, 'abc');
  writeFileSync(two, 'defg');
  const wholeOfPaths = async (...paths: string[]) => toTotal(await Promise.all(paths.map(findFileSize)));
  expect(await wholeOfPaths(one, two)).toEqual({ files: 2, totalBytes: 7 });
  expect(await wholeOfPaths(one, '-')).toEqual({ files: 2, totalBytes: undefined });
  rmSync(folder, { recursive: true });
});

test('it is not redrawn too often', () => {
  const terminal = fakeTerminal('/');
  terminal.errors.isTTY = true;
  let now = 1000;
  const progress = new Progress(terminal, () => now);
  for (let step = 0; step < 1000; step += 1) {
    now += 1;
    progress.show({ name: 'a', bytes: step, totalBytes: undefined });
  }
  expect(terminal.errors.text.split('\r').length).toBeLessThan(15);
});

test.each([20, 40, 60, 200])('a line fits into %i columns', (columns) => {
  const terminal = fakeTerminal('/');
  terminal.errors.isTTY = true;
  const line = new Progress(terminal).line({ name: '長い名前'.repeat(60), bytes: 5, totalBytes: 10 }, columns);
  expect(textWidth(line)).toBeLessThan(columns);
});

test('a file that has arrived is shown as being scanned, without a speed', () => {
  const terminal = fakeTerminal('/');
  terminal.errors.isTTY = true;
  let now = 1000;
  const progress = new Progress(terminal, () => now);
  progress.show({ name: 'a.iso', bytes: 0, totalBytes: 60_000_000 });
  now += 1000;
  progress.show({ name: 'a.iso', bytes: 60_000_000, totalBytes: 60_000_000, activity: 'scanning for viruses …' });
  const line = terminal.errors.text.split('\r').at(-1);
  expect(line).toMatch(/100% {2}60\.0 of 60\.0 MB, scanning for viruses …$/);
});

test('elsewhere it shows nothing', () => {
  const terminal = fakeTerminal('/');
  const progress = new Progress(terminal);
  progress.show({ name: 'a', bytes: 1, totalBytes: 2 });
  progress.clear();
  expect(terminal.errors.text).toBe('');
});

test('sizes and times are formatted for people', () => {
  expect([0, 999, 1400, 999_949, 999_951, 2_147_483_648].map(formatSize)).toEqual([
    '0 B',
    '999 B',
    '1.4 kB',
    '999.9 kB',
    '1.0 MB',
    '2.1 GB',
  ]);
  expect([0.2, 59, 61, 3599, 3661].map(formatDuration)).toEqual(['1 s', '59 s', '2 min', '1 h 00 min', '1 h 02 min']);
  expect(formatShare(1_200_000_000, 4_000_000_000)).toBe('1.2 of 4.0 GB');
  expect(formatShare(5, 10)).toBe('5 of 10 B');
  expect([999, 1_200_000, 38_400_000].map(formatSpeed)).toEqual(['999 B/s', '1.2 MB/s', '38 MB/s']);
});
