import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withVersion } from './version.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };

test('everything names the same version, and the same files with it again', () => {
  for (const [path, content] of withVersion(version, read)) expect(content, path).toBe(read(path));
});

test('a new version is named everywhere, and nothing else changes', () => {
  for (const [path, content] of withVersion('7.8.9-rc.1', read)) {
    expect(content, path).toContain('7.8.9-rc.1');
    expect(content.replaceAll('7.8.9-rc.1', version), path).toBe(read(path));
  }
});
