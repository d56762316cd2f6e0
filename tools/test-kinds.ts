import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const project = resolve(import.meta.dirname, '..');
/** A test that uses an engine has the engine's address from here. */
const engineAddresses = join(project, 'server/src/testing/engine-addresses.ts');
const importsOfFile = new Map<string, string[]>();

/** The test files that use an engine, because they import an engine's address directly or not, and all others. */
export function testKinds(): { unit: string[]; engines: string[] } {
  const files = globSync('{protocol,server,client,tools}/**/*.test.ts', {
    cwd: project,
    exclude: (path) => /(?:^|\/)(?:node_modules|dist)$/.test(path),
  });
  const { unit = [], engines = [] } = Object.groupBy(files.toSorted(), (file) =>
    reached(join(project, file)).has(engineAddresses) ? 'engines' : 'unit',
  );
  return { unit, engines };
}

function reached(start: string): Set<string> {
  const files = new Set([start]);
  // A set that grows while it is iterated yields what was added, too.
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
