import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { keyProviderContract } from '../../../test/contracts/key-provider-contract.ts';
import { keyfileProvider } from './key-provider.ts';

const folder = mkdtempSync(join(tmpdir(), 'keyfile-'));
afterAll(() => rmSync(folder, { recursive: true }));

const random = { bytes: randomBytes, uuid: randomUUID };
const line = (version: number, fill: number = version) => `${version}:${Buffer.alloc(32, fill).toString('base64')}`;
function provider(...lines: string[]) {
  const path = join(folder, randomUUID());
  writeFileSync(path, lines.join('\n'), { mode: 0o640 });
  return keyfileProvider(path, random);
}

const dataKey = Buffer.alloc(32, 9);

keyProviderContract('a key file', async () => ({
  keys: provider(line(1)),
  rotate: async () => provider(line(2), line(1)),
}));

test('a key wrapped by an earlier release is still unwrapped', async () => {
  const wrapped = 'wX5qdS4VaUvcFmuvXHHCtkqEOyoTNusmfHdl1pN6U6++ok3liw85YsFqYtM1rlJCz13sKwiDVK/T1Q0V';
  expect(await provider(line(1)).unwrap(Buffer.from(wrapped, 'base64'), 1, 'file')).toEqual(dataKey);
});

test('a rotation has two steps, and in each of them every process unwraps what any of them wrapped', async () => {
  const steps = [provider(line(1)), provider(line(1), line(2)), provider('# rotated', line(2), '', line(1))] as const;
  for (const [one, next] of [[steps[0], steps[1]] as const, [steps[1], steps[2]] as const]) {
    for (const [wrapping, unwrapping] of [[one, next] as const, [next, one] as const]) {
      const { wrapped, version } = await wrapping.wrap(dataKey, 'file');
      expect(version).toBe(wrapping === steps[2] ? 2 : 1);
      expect(await unwrapping.unwrap(wrapped, version, 'file')).toEqual(dataKey);
    }
  }
});

describe('nothing is unwrapped', () => {
  const keys = provider(line(2), line(1));

  test('without its master key', async () => {
    const { wrapped } = await keys.wrap(dataKey, 'file');
    await expect(provider(line(2, 99)).unwrap(wrapped, 2, 'file')).rejects.toThrow();
  });

  test('when a bit of it has changed, or a part of it is missing', async () => {
    const { wrapped } = await keys.wrap(dataKey, 'file');
    for (let at = 0; at < wrapped.length; at += 1) {
      const changed = Buffer.from(wrapped);
      changed[at] = (changed[at] as number) ^ 1;
      await expect(keys.unwrap(changed, 2, 'file')).rejects.toThrow();
      await expect(keys.unwrap(wrapped.subarray(0, at), 2, 'file')).rejects.toThrow();
    }
  });
});

test.each([
  ['an empty file', ''],
  ['only a comment', '# 1:'],
  ['a short key', `1:${Buffer.alloc(31).toString('base64')}`],
  ['a long key', `1:${Buffer.alloc(33).toString('base64')}`],
  ['no version', Buffer.alloc(32).toString('base64')],
  ['version 0', line(0, 1)],
  ['a line that is none', `${line(1)}\nnonsense`],
])('%s is refused, and no key is shown', (_what, text) => {
  expect(() => provider(text)).toThrow(/no master key in it|a line is not VERSION:BASE64 OF 32 BYTES/);
});

test.each([0o604, 0o644, 0o642, 0o601])('a file of mode %o, open to everybody, is refused', (mode) => {
  const path = join(folder, randomUUID());
  writeFileSync(path, line(1));
  chmodSync(path, mode);
  expect(() => keyfileProvider(path, random)).toThrow(`chmod o= ${path}`);
});

test('a file that is not there is refused', () => {
  expect(() => keyfileProvider(join(folder, 'missing'), random)).toThrow('ENOENT');
});
