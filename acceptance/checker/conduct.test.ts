// The checker of processes: it reports nothing while they behave, and names everything that each did wrong.
import { expect, test } from 'vitest';
import type { OwnProcess } from '../lib/servers/own-serve.ts';
import { type Conduct, judgeConduct } from './conduct.ts';

const calm = (changes: Partial<OwnProcess> = {}): OwnProcess => ({
  pid: process.pid,
  ended: new Promise(() => undefined),
  said: ['{"msg":"serving"}'],
  kill: async () => undefined,
  stop: async () => undefined,
  ...changes,
});
const bounds = { memoryMiB: 100_000, secrets: new Map([['an API key', 'secret-key']]) };
const judgeOne = (one: OwnProcess, more: Partial<Conduct> = {}, terms = bounds) =>
  judgeConduct([{ process: one, name: 'serve', ...more }], terms);

test('reports nothing for a process that runs, and for one that the test ended', async () => {
  expect(await judgeOne(calm())).toEqual([]);
  expect(await judgeOne(calm({ ended: Promise.resolve('SIGKILL') }), { endedBy: 'SIGKILL' })).toEqual([]);
});

test('reports a process that ended by itself, or by another signal', async () => {
  const accused = 'serve: ended with 1 unasked; it said last: {"msg":"serving"}';
  expect(await judgeOne(calm({ ended: Promise.resolve(1) }))).toEqual([accused]);
  expect(await judgeOne(calm({ ended: Promise.resolve(1) }), { endedBy: 'SIGTERM' })).toEqual([accused]);
});

test('reports a process that used too much memory', async () => {
  expect(await judgeOne(calm(), {}, { ...bounds, memoryMiB: 1 })).toEqual([
    expect.stringMatching(/^serve: took \d+ MiB, and 1 are allowed$/),
  ]);
});

test('reports a process that logs a secret', async () => {
  expect(await judgeOne(calm({ said: ['{"key":"secret-key"}'] }))).toEqual(['serve: its log has an API key']);
});
