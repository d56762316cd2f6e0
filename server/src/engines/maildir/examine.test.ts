import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { carryOutRemedy, collectFindings } from '../../../test/findings.ts';
import { examineMaildir } from './examine.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-maildir-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a Maildir', async () => {
  for (const name of ['new', 'cur']) mkdirSync(join(folder, name));
  expect(await collectFindings(examineMaildir(folder))).toMatchObject([{ status: 'ok', check: 'bounces.maildir' }]);
});

test.each(['new', 'cur'])('only the folder %s', async (name) => {
  mkdirSync(join(folder, name));
  await carryOutRemedy(
    'bounces.maildir',
    () => examineMaildir(folder),
    (remedy) => {
      const [, ...paths] = /access to (\S+) and (\S+),/.exec(remedy) ?? [];
      for (const path of paths) mkdirSync(path, { recursive: true });
    },
  );
});
