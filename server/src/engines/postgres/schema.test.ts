import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/database.ts';

const run = promisify(execFile);
const generator = fileURLToPath(new URL('../../../../node_modules/kysely-codegen/dist/cli/bin.js', import.meta.url));
const schema = fileURLToPath(new URL('schema.ts', import.meta.url));

/**
 * The types that queries are checked against, generated from a migrated database; the job runner's tables are not ours.
 */
const verify = (url: string) => {
  const source = ['--url', url, '--dialect', 'postgres', '--include-pattern', 'public.!(migrations)'];
  const types = ['--type-mapping', '{"int8":"number"}', '--out-file', schema, '--verify'];
  return run(process.execPath, [generator, ...source, ...types]);
};

test('the types of the tables are those of the migrated database', async () => {
  await using database = await createTestDatabase();
  await verify(database.url);
  await database.query('alter table drops add column something_new text');
  await expect(verify(database.url)).rejects.toMatchObject({ code: 1 });
});
