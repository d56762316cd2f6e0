import { existsSync, linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { moveUnlessExists, wasMoved } from './move-unless-exists.ts';

let folder: string;
let from: string;
let to: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'client-move-'));
  from = join(folder, 'from');
  to = join(folder, 'to');
  writeFileSync(from, 'moved');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Fails as on exFAT. */
const noHardLinks = () => {
  throw Object.assign(new Error('operation not permitted'), { code: 'EPERM' });
};

test.each([
  ['with hard links', linkSync],
  ['without hard links', noHardLinks],
])('a file is moved unless the target exists: %s', async (_name, hardLink) => {
  expect(await moveUnlessExists(from, to, hardLink)).toBe(true);
  expect(readFileSync(to, 'utf8')).toBe('moved');
  expect(existsSync(from)).toBe(false);
  writeFileSync(from, 'second');
  expect(await moveUnlessExists(from, to, hardLink)).toBe(false);
  expect(readFileSync(to, 'utf8')).toBe('moved');
  expect(readFileSync(from, 'utf8')).toBe('second');
});

test('a move that fails leaves nothing behind', async () => {
  await expect(moveUnlessExists(join(folder, 'missing'), to)).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(moveUnlessExists(from, join(folder, 'no such folder', 'to'))).rejects.toMatchObject({ code: 'ENOENT' });
  expect(readdirSync(folder)).toEqual(['from']);
});

test('an interrupted move is recognised by the inode, not by the name', () => {
  expect(wasMoved(from, to)).toBe(false);
  writeFileSync(to, 'moved');
  expect(wasMoved(from, to)).toBe(false);
  rmSync(to);
  linkSync(from, to);
  expect(wasMoved(from, to)).toBe(true);
  expect(readdirSync(folder)).toEqual(['to']);
  expect(wasMoved(from, to)).toBe(true);
});
