// A page that contains the hook of an island loads it: a button that only a script brings to life must not stay dead.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { plainOperator } from '../../test/plain-operator.ts';
import { pageStates } from '../../test/view-states.tsx';
import { createTranslators } from '../present/texts/translator.ts';
import { scripts } from './shared/asset-sources.ts';
import { renderPage } from './shared/render-page.tsx';

const server = fileURLToPath(new URL('../../', import.meta.url));
const translator = createTranslators({ fallback: 'en' }).for('en');
const usual = { ticket: 'gesture', app: 'frame', 'sign-in': 'sign-in' } as const;

/** The files of a script: its own, and all that it imports. */
function collectFiles(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, imported = ''] of readFileSync(join(server, path), 'utf8').matchAll(/(?:from|import) '(\.[^']+)'/g)) {
    collectFiles(relative(server, join(server, dirname(path), imported)), found);
  }
  return found;
}

/** The attributes by which each island finds its elements, such as `data-copy`. */
const hooks = new Map<string, string[]>();
for (const path of globSync('src/web/**/islands/*.{ts,tsx}', { cwd: server })) {
  if (path.includes('.test.')) continue;
  const source = readFileSync(join(server, path), 'utf8');
  for (const [, hook = ''] of source.matchAll(/\[(data-[a-z-]+)[\]=]/g)) {
    hooks.set(hook, [...(hooks.get(hook) ?? []), path]);
  }
}

test('islands have hooks, and several scripts load one of them', () => {
  expect([...hooks.keys()]).toEqual(
    expect.arrayContaining(['data-copy', 'data-copies-link', 'data-reveals', 'data-print', 'data-gesture']),
  );
  expect(collectFiles(scripts.settings)).toContain('src/web/app/islands/form-helpers.ts');
});

/** The composer is also drawn as it is before its script, which the real page always loads. */
const states = Object.entries(pageStates(translator)).map(
  ([name, state]) => [name, name.startsWith('app-send-') ? { ...state, script: 'send' as const } : state] as const,
);

describe.each(states)('%s', (_name, state) => {
  test('loads the island of every hook on it', () => {
    const html = renderPage(translator, { ...state, languageLinks: [], operator: plainOperator });
    const loaded = collectFiles(scripts[state.script ?? usual[state.layout ?? 'ticket']]);
    const missing = [...hooks].filter(
      ([hook, islands]) => new RegExp(`<[^>]* ${hook}[ =>/]`).test(html) && !islands.some((path) => loaded.has(path)),
    );
    expect(missing).toEqual([]);
  });
});
