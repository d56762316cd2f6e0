import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

let bin: string;
beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), 'waybill-dev-test-'));
});
afterEach(() => rmSync(bin, { recursive: true }));

test.each([
  ['no Docker', undefined, 'Docker was not found. Install it, with its compose plugin.'],
  ['no compose', '[ "$1" = --version ]', 'Docker has no compose. Install its compose plugin.'],
  ['no right to use it', '[ "$1" != info ]', 'Docker is not running, or this user may not use it.'],
])('npm run dev says in one line what to do where there is %s', (_what, docker, said) => {
  if (docker !== undefined) writeFileSync(join(bin, 'docker'), `#!/bin/sh\n${docker}\n`, { mode: 0o755 });
  const { status, stdout, stderr } = spawnSync(process.execPath, [fileURLToPath(new URL('dev.ts', import.meta.url))], {
    env: { PATH: bin },
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^dev: .*\n$/);
  expect(stderr).toContain(said);
});
