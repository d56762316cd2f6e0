import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cut, notes } from './changelog.ts';

const changelog = `# Changelog

## [Unreleased]

### Added

- A window.

## [0.1.0] - 2026-01-02

- A door.
`;

test('a release gets what was unreleased, and its notes are exactly that', () => {
  const after = cut(changelog, '0.2.0', '2026-03-04');
  expect(after).toContain('## [Unreleased]\n\n## [0.2.0] - 2026-03-04\n\n### Added\n\n- A window.\n\n## [0.1.0]');
  expect(notes(after, '0.2.0')).toBe('### Added\n\n- A window.\n');
  expect(notes(after, '0.1.0')).toBe('- A door.\n');
});

test('a version is described once, and a release without changes is refused', () => {
  expect(() => cut(changelog, '0.1.0', '2026-03-04')).toThrow('already describes 0.1.0');
  expect(() => cut(cut(changelog, '0.2.0', '2026-03-04'), '0.3.0', '2026-03-05')).toThrow('nothing under "Unreleased"');
  expect(() => notes(changelog, '0.2.0')).toThrow('does not describe 0.2.0');
});

test('what operators have to do for an upgrade comes first, and every section has a usual name', () => {
  const [, ...versions] = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8').split(/^(?=## \[)/m);
  const usual = ['Upgrading', 'Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security', 'Not yet'];
  for (const version of versions) {
    const sections = [...version.matchAll(/^### (.*)$/gm)].map(([, name = '']) => name);
    expect(sections).toEqual(usual.filter((name) => sections.includes(name)));
  }
});
