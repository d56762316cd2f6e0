import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openapiDocument } from '../../server/src/api/machine/openapi.ts';
import { routes as cgiRoutes } from '../../server/src/api/machine/routes.ts';
import { v1Document } from '../../server/src/api/v1/openapi/openapi.ts';
import { routes } from '../../server/src/api/v1/routes.ts';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../../', import.meta.url));

async function lint(document: object): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
  const path = join(folder, 'openapi.json');
  writeFileSync(path, JSON.stringify(document));
  const words = [join(project, 'node_modules/@redocly/cli/bin/cli.js'), 'lint', path, '--format', 'json'];
  try {
    const { stdout } = await run(process.execPath, [...words, '--config', join(project, 'redocly.yaml')], {
      env: { PATH: process.env['PATH'] ?? '', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    return stdout;
  } catch (error) {
    return (error as { stdout: string }).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test.each([
  ['the machine API', openapiDocument(cgiRoutes)],
  ['/api/v1', v1Document(routes)],
])('the linter has nothing against the description of %s', async (_name, document) => {
  const { totals } = JSON.parse(await lint(document)) as { totals: object };
  expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
});

test('the linter reads it', async () => {
  const { info: _info, ...rest } = openapiDocument(cgiRoutes);
  const { totals } = JSON.parse(await lint(rest)) as { totals: { errors: number } };
  expect(totals.errors).toBeGreaterThan(0);
});
