import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('the address of a client is read once, when its request arrives', () => {
  const source = join(import.meta.dirname, '../..');
  const readers = globSync('{http,api,web,services}/**/*.{ts,tsx}', { cwd: source }).filter(
    (file) => !/\.test\.tsx?$/.test(file) && /\bip\b/.test(readFileSync(join(source, file), 'utf8')),
  );
  // Once the connection has ended, the request no longer knows it: `request.peer` does.
  expect(readers).toEqual(['services/build-server.ts']);
});
