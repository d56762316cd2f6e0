import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findWrongLines, parseEnvironment, updateEnvironment } from './environment-file.ts';

test('comments, order and unchanged lines are kept', () => {
  const text = '# Ours.\nA=1\n\n# The name.\nB="two words"\nexport C=3\n';
  expect(updateEnvironment(text, { A: '1', B: 'two words', C: '4', D: '5' })).toBe(
    '# Ours.\nA=1\n\n# The name.\nB="two words"\nC=4\nD=5\n',
  );
});

test('a setting that is gone, or there twice, leaves no line', () => {
  expect(updateEnvironment('A=1\nB=2\nA=3\n', { A: '3' })).toBe('A=3\n');
});

test('the same settings change nothing', () => {
  const once = updateEnvironment('', { A: '1', B: 'x y' });
  expect(updateEnvironment(once, parseEnvironment(once))).toBe(once);
});

const values = [
  'plain',
  '',
  'two words',
  'a"b',
  'back\\slash',
  '$HOME `id`',
  'a=b;c&d|e',
  'Größe “x”',
  '#no comment',
  '%i',
  "it's",
  `it's "$HOME" \\ \``,
];

test.each(values)('a shell reads %j as it was written', (value) => {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-environment-'));
  try {
    const file = join(folder, 'environment');
    writeFileSync(file, updateEnvironment('', { VALUE: value }));
    expect(execFileSync('sh', ['-c', '. "$0"; printf %s "$VALUE"', file], { encoding: 'utf8' })).toBe(value);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each(values)('%j is read back as it was written', (value) => {
  expect(parseEnvironment(updateEnvironment('', { VALUE: value }))).toEqual({ VALUE: value });
});

test('characters that a shell, systemd or Docker would interpret are taken as they are', () => {
  const text = 'A=postgres:///w?host=/run&user=w\nB="a b"\nC=a#b $HOME\n  # A comment.\nD= x \n';
  expect(parseEnvironment(text)).toEqual({ A: 'postgres:///w?host=/run&user=w', B: 'a b', C: 'a#b $HOME', D: 'x' });
});

test('a line that is no setting is found', () => {
  expect(findWrongLines('# x\n\nA=1\nset -e\nB = 2\n')).toEqual([4, 5]);
});

test.each(['two\nlines', '\u0000'])('%j cannot be written, and the message names the setting', (value) => {
  expect(() => updateEnvironment('', { VALUE: value })).toThrow('VALUE contains');
});
