import type { StatsFs } from 'node:fs';
import type { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { findFreeBytes } from './free-bytes.ts';

const reports = (status: Partial<StatsFs>) => (async () => status) as unknown as typeof statfs;

test('what only the superuser may write does not count as free', async () => {
  expect(await findFreeBytes('/', reports({ blocks: 100, bfree: 20, bavail: 10, bsize: 4096 }))).toBe(40_960);
  expect(await findFreeBytes(tmpdir())).toBeGreaterThan(0);
});

test('a file system that does not say how much is free counts as one with room', async () => {
  expect(await findFreeBytes('/', reports({ blocks: 0, bfree: 0, bavail: 0, bsize: 512 }))).toBe(Infinity);
  expect(await findFreeBytes('/', async () => Promise.reject(new Error('ENOSYS')))).toBe(Infinity);
});
