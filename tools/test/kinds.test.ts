import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { findTestFiles } from './kinds.ts';
import { requireKind } from './require-kind.ts';

const folder = mkdtempSync(join(tmpdir(), 'waybill-kinds-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the kind of a test follows from the files that it imports', () => {
  const files = {
    'server/database.ts': "import x from 'pg';\n\nrequireKind('postgres');\n",
    'server/redis.ts': "import './database.ts';\n\nrequireKind('engines');\n",
    'server/helper.ts': "import {\n  open,\n} from './database.ts';\n",
    'server/plain.test.ts': "import type { Redis } from './redis.ts';\n",
    'server/helped.test.ts': "import { help } from './helper.ts';\n",
    'server/dynamic.test.ts': "const redis = await import('./redis.ts');\n",
    'tools/exported.test.ts': "export { redis } from '../server/redis.ts';\n",
    'tools/own.test.ts': "requireKind('postgres');\n",
    'tools/node_modules/x.test.ts': '',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  expect(findTestFiles(folder)).toEqual({
    unit: ['server/plain.test.ts'],
    postgres: ['server/helped.test.ts', 'tools/own.test.ts'],
    engines: ['server/dynamic.test.ts', 'tools/exported.test.ts'],
  });
});

test('a test of one kind cannot use what only a higher kind has', () => {
  for (const [kind, allowed, refused] of [
    ['unit', [], ['postgres', 'engines']],
    ['postgres', ['postgres'], ['engines']],
    ['engines', ['postgres', 'engines'], []],
  ] as const) {
    vi.stubEnv('WAYBILL_TEST_KIND', kind);
    for (const needed of allowed) expect(() => requireKind(needed)).not.toThrow();
    for (const needed of refused) expect(() => requireKind(needed)).toThrow(`kind "${needed}" have, but it runs as`);
  }
  vi.unstubAllEnvs();
});

test('this project has tests of every kind', () => {
  const { unit, postgres, engines } = findTestFiles();
  expect(unit).toContain('protocol/src/safe-name.test.ts');
  expect(postgres).toContain('server/src/engines/postgres/jobs/job-runner.test.ts');
  expect(engines).toContain('server/src/engines/valkey/csrf-tokens.test.ts');
});
