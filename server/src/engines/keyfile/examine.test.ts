import { randomBytes, randomUUIDv7 } from 'node:crypto';
import fs, { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { collectFindings, expectTrouble } from '../../../test/findings.ts';
import { examineKeyfile } from './examine.ts';

const random = { bytes: randomBytes, uuid: randomUUIDv7 };
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-keys-'));
  path = join(folder, 'master-keys');
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(folder, { recursive: true });
});

const findRemedy = async () => (await collectFindings(examineKeyfile({ path, random })))[0]?.remedy;

const freshKey = (version = 1) => `${version}:${randomBytes(32).toString('base64')}\n`;

test('readable keys are reported with the version in use', async () => {
  writeFileSync(path, freshKey(), { mode: 0o640 });
  const findings = await collectFindings(examineKeyfile({ path, random }));
  expect(findings).toMatchObject([{ status: 'ok', check: 'keys.file' }]);
});

test('a missing file', async () => {
  await expectTrouble(examineKeyfile({ path, random }), 'fault keys.file');
  expect(await findRemedy()).toMatch(/^Copy the file from the backup or another machine/);
});

test('a file that others can read, or that Waybill cannot, needs other rights and no copy', async () => {
  const given = `Make the file readable for Waybill’s group only: chown root:waybill ${path} && chmod 640 ${path}`;
  writeFileSync(path, freshKey(), { mode: 0o644 });
  expect(await collectFindings(examineKeyfile({ path, random }))).toMatchObject([
    { says: expect.stringMatching(/open to every user of this machine\.$/), remedy: given },
  ]);
  // As for a user without rights; root may read every file.
  vi.spyOn(fs, 'statSync').mockImplementationOnce(() => {
    throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
  });
  syncBuiltinESMExports();
  expect(await findRemedy()).toBe(given);
});

test.each([
  ['that everyone can read', freshKey(), 0o644],
  ['that is damaged', freshKey().slice(0, 30), 0o640],
  ['without a key', '# none yet\n', 0o640],
])('a file %s', async (_what, content, mode) => {
  writeFileSync(path, content, { mode });
  await expectTrouble(examineKeyfile({ path, random }), 'fault keys.file');
});
