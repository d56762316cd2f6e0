/**
 * The changelog of a release.
 *
 *   node tools/release/changelog.ts cut VERSION DATE   turns the section "Unreleased" of CHANGELOG.md into VERSION's
 *   node tools/release/changelog.ts notes VERSION      prints what changed in VERSION
 */
import { readFileSync, writeFileSync } from 'node:fs';

const unreleased = '## [Unreleased]';

/** A fresh, empty "Unreleased" section stays at the top. */
export function cut(changelog: string, version: string, date: string): string {
  if (findSection(changelog, version) !== undefined) throw new Error(`CHANGELOG.md already describes ${version}.`);
  if (!findSection(changelog, 'Unreleased')) throw new Error('CHANGELOG.md has nothing under "Unreleased".');
  return changelog.replace(unreleased, `${unreleased}\n\n## [${version}] - ${date}`);
}

export function notes(changelog: string, version: string): string {
  const section = findSection(changelog, version);
  if (!section) throw new Error(`CHANGELOG.md does not describe ${version}.`);
  return `${section}\n`;
}

function findSection(changelog: string, version: string): string | undefined {
  const [, ...sections] = changelog.split(/^(?=## \[)/m);
  const section = sections.find((text) => text.startsWith(`## [${version}]`));
  return section?.replace(/^.*\n/, '').trim();
}

if (import.meta.main) {
  const [command, version = '', date = ''] = process.argv.slice(2);
  const path = new URL('../../CHANGELOG.md', import.meta.url);
  const changelog = readFileSync(path, 'utf8');
  if (command === 'cut') writeFileSync(path, cut(changelog, version, date));
  else process.stdout.write(notes(changelog, version));
}
