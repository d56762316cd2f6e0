import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { maildir } from './mailbox.ts';

let folder: string;
const at = (...path: string[]) => join(folder, ...path);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-maildir-'));
  for (const name of ['new', 'cur', 'tmp']) mkdirSync(at(name));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('what was delivered is listed, read and removed', async () => {
  const mailbox = maildir(folder);
  for (const name of ['1', '2', '3']) writeFileSync(at('new', name), `mail ${name}`);
  expect(await mailbox.list(2)).toHaveLength(2);
  expect((await mailbox.list(10)).toSorted()).toEqual(['1', '2', '3']);
  expect((await mailbox.read('1', 100))?.toString()).toBe('mail 1');
  expect(await mailbox.read('1', 5)).toBeUndefined();
  await mailbox.remove('1');
  await mailbox.remove('1');
  expect(await mailbox.read('1', 100)).toBeUndefined();
  await mailbox.setAside('2');
  await mailbox.remove('3');
  expect(await mailbox.list(10)).toEqual([]);
  expect(readdirSync(at('cur'))).toEqual(['2:2,']);
});

test('what is no plain file is not read, and removed', async () => {
  const mailbox = maildir(folder);
  writeFileSync(at('secret'), 'a secret');
  symlinkSync(at('secret'), at('new', 'link'));
  mkdirSync(at('new', 'folder'));
  execFileSync('mkfifo', [at('new', 'pipe')]);
  for (const name of await mailbox.list(10)) {
    expect(await mailbox.read(name, 100), name).toBeUndefined();
    await mailbox.remove(name);
  }
  expect(await mailbox.list(10)).toEqual([]);
  expect(existsSync(at('secret'))).toBe(true);
});
