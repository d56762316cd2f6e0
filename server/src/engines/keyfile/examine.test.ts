import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { expectTrouble, findingsOf } from '../../testing/findings.ts';
import { examineKeyfile } from './examine.ts';
import { keyfileProvider } from './key-provider.ts';

const random = { bytes: randomBytes, uuid: randomUUIDv7 };
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-keys-'));
  path = join(folder, 'master-keys');
});
afterEach(() => rmSync(folder, { recursive: true }));

const freshKey = (version = 1) => `${version}:${randomBytes(32).toString('base64')}\n`;

/** A database with one key that was wrapped with the keys in the file. */
async function storeOfFile() {
  const keys = keyfileProvider(path, random);
  const sample = { ...(await keys.wrap(randomBytes(32), 'a')), context: 'a' };
  return { sampleWrappedKeys: async () => [sample] };
}

test('keys that open what is stored', async () => {
  writeFileSync(path, freshKey(), { mode: 0o640 });
  const findings = await findingsOf(examineKeyfile({ path, random, store: await storeOfFile() }));
  expect(findings.map(({ status, check }) => `${status} ${check}`)).toEqual(['ok keys.file', 'ok keys.data']);
});

test('without a database, there is nothing to compare with', async () => {
  writeFileSync(path, freshKey(), { mode: 0o640 });
  const away = { sampleWrappedKeys: () => Promise.reject(new Error('away')) };
  for (const store of [undefined, away]) {
    const [, data] = await findingsOf(examineKeyfile({ path, random, store }));
    expect(data).toMatchObject({ status: 'skipped', check: 'keys.data' });
  }
});

test('a missing file', async () => {
  await expectTrouble(examineKeyfile({ path, random, store: undefined }), 'fault keys.file');
});

test.each([
  ['that everyone can read', freshKey(), 0o644],
  ['that is damaged', freshKey().slice(0, 30), 0o640],
  ['without a key', '# none yet\n', 0o640],
])('a file %s', async (_what, content, mode) => {
  writeFileSync(path, content, { mode });
  await expectTrouble(examineKeyfile({ path, random, store: undefined }), 'fault keys.file');
});

test.each([1, 2])('other keys than those of the data, of version %i', async (version) => {
  writeFileSync(path, freshKey(), { mode: 0o640 });
  const store = await storeOfFile();
  writeFileSync(path, freshKey(version));
  await expectTrouble(examineKeyfile({ path, random, store }), 'fault keys.data');
});
