import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const project = resolve(import.meta.dirname, '..');
/**
 * A test that uses an engine gets its address from the first of these, or starts its own with the second; a disk, a
 * program, a proxy or a browser, with the others.
 */
const engineFiles = [
  'server/src/testing/engine-addresses.ts',
  'server/src/testing/own-daemon.ts',
  'server/src/testing/own-disk.ts',
  'tools/shared/installed-program.ts',
  'tools/shared/shipped-proxies.ts',
  'tools/shared/browser.ts',
].map((path) => join(project, path));
const importsOfFile = new Map<string, string[]>();

/** The test files that use an engine or a browser, because they import one of these files directly or indirectly, and all others. */
export function testKinds(): { unit: string[]; engines: string[] } {
  const files = globSync('{protocol,server,client,tools}/**/*.test.ts', {
    cwd: project,
    exclude: (path) => /(?:^|\/)(?:node_modules|dist)$/.test(path),
  });
  const { unit = [], engines = [] } = Object.groupBy(files.toSorted(), (file) =>
    engineFiles.some((path) => reached(join(project, file)).has(path)) ? 'engines' : 'unit',
  );
  return { unit, engines };
}

function reached(start: string): Set<string> {
  const files = new Set([start]);
  // Iterating over a growing set also yields what was added.
  for (const file of files) for (const imported of importsOf(file)) files.add(imported);
  return files;
}

function importsOf(file: string): string[] {
  const known = importsOfFile.get(file);
  if (known) return known;
  const found = readFileSync(file, 'utf8').matchAll(/(?:from|import|import\()\s*'(\.[^']*\.tsx?)'/g);
  const imports = [...found].map(([, path = '']) => resolve(dirname(file), path));
  importsOfFile.set(file, imports);
  return imports;
}
