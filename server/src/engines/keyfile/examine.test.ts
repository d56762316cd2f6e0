import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { collectFindings, expectTrouble } from '../../testing/findings.ts';
import { examineKeyfile } from './examine.ts';

const random = { bytes: randomBytes, uuid: randomUUIDv7 };
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-keys-'));
  path = join(folder, 'master-keys');
});
afterEach(() => rmSync(folder, { recursive: true }));

const freshKey = (version = 1) => `${version}:${randomBytes(32).toString('base64')}\n`;

test('readable keys are reported with the version in use', async () => {
  writeFileSync(path, freshKey(), { mode: 0o640 });
  const findings = await collectFindings(examineKeyfile({ path, random }));
  expect(findings).toMatchObject([{ status: 'ok', check: 'keys.file' }]);
});

test('a missing file', async () => {
  await expectTrouble(examineKeyfile({ path, random }), 'fault keys.file');
});

test.each([
  ['that everyone can read', freshKey(), 0o644],
  ['that is damaged', freshKey().slice(0, 30), 0o640],
  ['without a key', '# none yet\n', 0o640],
])('a file %s', async (_what, content, mode) => {
  writeFileSync(path, content, { mode });
  await expectTrouble(examineKeyfile({ path, random }), 'fault keys.file');
});
