import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('the address of a client is read once, when its request arrives', () => {
  const readers = globSync('**/*.{ts,tsx}', { cwd: import.meta.dirname }).filter(
    (file) => !/\.test\.tsx?$/.test(file) && /\bip\b/.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
  );
  // Once the connection has ended, the request no longer knows it: `request.peer` does.
  expect(readers).toEqual(['server.ts']);
});
