import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const source = fileURLToPath(new URL('../../server/src/', import.meta.url));

/** The folders that each folder of this one imports, by types or values. Files at its root join the folders. */
function readImports(root: string): Map<string, Set<string>> {
  const parent = join(source, root);
  const imports = new Map<string, Set<string>>();
  for (const file of globSync('*/**/*.{ts,tsx}', { cwd: parent })) {
    if (file.endsWith('.test.ts')) continue;
    const [area = ''] = file.split('/');
    const known = imports.get(area) ?? new Set();
    imports.set(area, known);
    for (const [, target = ''] of readFileSync(join(parent, file), 'utf8').matchAll(/from '(\.\.?\/[^']+)'/g)) {
      const [other = '', ...rest] = relative(parent, join(parent, dirname(file), target)).split('/');
      if (rest.length > 0 && other !== area && other !== '..') known.add(other);
    }
  }
  return imports;
}

/** A path that leads back to where it began, if there is one. */
function findCircle(imports: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const done = new Set<string>();
  const visit = (area: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(area)) return [...path.slice(path.indexOf(area)), area];
    if (done.has(area)) return undefined;
    for (const next of imports.get(area) ?? []) {
      const circle = visit(next, [...path, area]);
      if (circle) return circle;
    }
    done.add(area);
    return undefined;
  };
  for (const area of imports.keys()) {
    const circle = visit(area, []);
    if (circle) return circle;
  }
  return undefined;
}

test.each([
  ['domain', 'drops', 'links'],
  ['web', 'receiver', 'links'],
  ['web/app', 'requests', 'sent'],
])('folders of %s do not import each other in a circle', (root, importing, imported) => {
  const imports = readImports(root);
  expect(imports.get(importing)).toContain(imported);
  expect(findCircle(imports)).toBeUndefined();
});

test('a circle over three areas is found', () => {
  const imports = readImports('domain');
  imports.get('links')?.add('planted');
  imports.set('planted', new Set(['drops']));
  expect(findCircle(imports)).toEqual(expect.arrayContaining(['drops', 'links', 'planted']));
});

test('surfaces call operations, and neither read the store nor begin transactions', () => {
  const files = globSync('{http,api,web,jobs,admin}/**/*.{ts,tsx}', { cwd: source }).filter(
    (file) => !/\.test\./.test(file),
  );
  expect(files.length).toBeGreaterThan(200);
  const reading = /[.{,] ?(?:store|tx)\b(?=[\s,.}:)])/;
  expect(['engines.store.people', '({ random, store }: Needs)'].every((code) => reading.test(code))).toBe(true);
  expect(files.filter((file) => reading.test(readFileSync(join(source, file), 'utf8')))).toEqual([]);
});
