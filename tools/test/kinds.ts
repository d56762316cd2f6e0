import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type TestKind, testKinds } from './require-kind.ts';

const project = resolve(import.meta.dirname, '../..');
const sources = new Map<string, { readonly kind: TestKind; readonly imports: readonly string[] }>();

/** The test files of each kind: a file's kind is the highest that it, or a file it imports, declares with `requireKind`. */
export function findTestFiles(folder = project): Record<TestKind, string[]> {
  const files = globSync('{protocol,evidence,server,client,tools}/**/*.test.ts', {
    cwd: folder,
    exclude: (path) => /(?:^|\/)(?:node_modules|dist)$/.test(path),
  });
  const found = Object.groupBy(files.toSorted(), (file) => findKind(join(folder, file)));
  return { unit: found.unit ?? [], postgres: found.postgres ?? [], engines: found.engines ?? [] };
}

function findKind(test: string): TestKind {
  const files = new Set([test]);
  let kind: TestKind = 'unit';
  // Iterating over a growing set also yields what was added.
  for (const file of files) {
    const source = readSource(file);
    if (testKinds.indexOf(source.kind) > testKinds.indexOf(kind)) kind = source.kind;
    for (const imported of source.imports) files.add(imported);
  }
  return kind;
}

function readSource(file: string) {
  const known = sources.get(file);
  if (known) return known;
  const text = readFileSync(file, 'utf8');
  const [, kind = 'unit'] = /^requireKind\('(\w+)'\);$/m.exec(text) ?? [];
  const statements = text.matchAll(/^(?:import|export)\s(?!type\s)(?:[^';]*\sfrom\s)?'(\.[^']*\.tsx?)'/gm);
  const calls = text.matchAll(/\bimport\('(\.[^']*\.tsx?)'\)/g);
  const paths = [...statements, ...calls].map(([, path = '']) => resolve(dirname(file), path));
  // A string or a comment may look like an import.
  const imports = paths.filter((path) => existsSync(path));
  const source = { kind: kind as TestKind, imports };
  sources.set(file, source);
  return source;
}
