import { expect, test } from 'vitest';
import { fakeTerminal } from '../testing/fake-terminal.ts';
import { Progress } from './progress.ts';
import { humanDuration, humanSize } from './sizes.ts';

const megabyte = 1_000_000;

test('on a terminal it shows how far, how fast and how long', () => {
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
  expect(last).toBe('film.bin  [#####..............]   25%  500.0 MB of 2.0 GB  50.0 MB/s  30 s left');
  progress.clear();
  expect(terminal.errors.text.endsWith('\r\u001b[2K')).toBe(true);
});

test('it is not drawn more often than one can see', () => {
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
  const line = new Progress(terminal).line({ name: 'x'.repeat(255), bytes: 5, totalBytes: 10 }, columns);
  expect(line.length).toBeLessThan(columns);
});

test('elsewhere it shows nothing', () => {
  const terminal = fakeTerminal('/');
  const progress = new Progress(terminal);
  progress.show({ name: 'a', bytes: 1, totalBytes: 2 });
  progress.clear();
  expect(terminal.errors.text).toBe('');
});

test('sizes and times are in words one reads', () => {
  expect([0, 999, 1400, 999_949, 999_951, 2_147_483_648].map(humanSize)).toEqual([
    '0 B',
    '999 B',
    '1.4 kB',
    '999.9 kB',
    '1.0 MB',
    '2.1 GB',
  ]);
  expect([0.2, 59, 61, 3599, 3661].map(humanDuration)).toEqual([
    '1 s',
    '59 s',
    '1 min 01 s',
    '59 min 59 s',
    '1 h 01 min',
  ]);
});
