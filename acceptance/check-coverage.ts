/**
 * Compares COVERAGE.md and the tests in spec/ in both directions: every sentence has an existing test, and every test
 * belongs to a sentence. Run it with `node acceptance/check-coverage.ts`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const here = import.meta.dirname;
const problems: string[] = [];

interface Row {
  id: string;
  sentence: string;
  tests: string[];
}

/** Rows of every table in the document: id, the sentence in our words, and the tests, one per line of the cell. */
function readRows(markdown: string): Row[] {
  const rows: Row[] = [];
  for (const line of markdown.split('\n').filter((text) => text.startsWith('| '))) {
    const cells = line.slice(1, line.lastIndexOf('|')).split(' | ');
    const [id = '', sentence = '', tests = ''] = cells.map((cell) => cell.trim());
    if (id === 'id' || /^-+$/.test(id)) continue;
    if (cells.length !== 3) problems.push(`${id}: ${cells.length} cells instead of 3`);
    rows.push({
      id,
      sentence,
      tests: tests
        .split('<br>')
        .map((test) => test.trim())
        .filter((test) => test !== ''),
    });
  }
  return rows;
}

const testCall = /(?<![\w.])test(?<modifier>\.\w+)*\(/g;
const titledCall = /(?<![\w.])test\(\s*(?<quote>['"`])(?<title>(?:\\.|(?!\k<quote>)[^\\])*)\k<quote>/g;

/** The titles of a file's tests as written, with an ellipsis for what varies in a template. */
function readTitles(file: string): string[] {
  const source = readFileSync(join(here, file), 'utf8');
  const titles = [...source.matchAll(titledCall)].map(({ groups }) =>
    (groups?.['title'] ?? '').replace(/\$\{[^}]*\}/g, '…').replace(/\\(.)/g, '$1'),
  );
  const calls = [...source.matchAll(testCall)];
  if (calls.length !== titles.length)
    problems.push(`${file}: ${calls.length} tests, but ${titles.length} readable titles`);
  for (const [call] of calls) if (call !== 'test(') problems.push(`${file}: ${call}…) leaves tests out or alone`);
  for (const [i, title] of titles.entries()) {
    if (titles.indexOf(title) !== i) problems.push(`${file}: two tests are called "${title}"`);
  }
  return titles;
}

function testFiles(folder: string): string[] {
  return readdirSync(join(here, folder))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`);
}

const specTests = new Set(testFiles('spec').flatMap((file) => readTitles(file).map((title) => `${file} › ${title}`)));
const otherTests = new Set(
  ['attacks', 'faults'].flatMap(testFiles).flatMap((file) => readTitles(file).map((title) => `${file} › ${title}`)),
);

const rows = readRows(readFileSync(join(here, 'COVERAGE.md'), 'utf8'));
const cited = new Set<string>();
const seen = new Set<string>();
for (const { id, sentence, tests } of rows) {
  if (seen.has(id)) problems.push(`${id}: the id appears twice`);
  seen.add(id);
  if (sentence === '') problems.push(`${id}: no sentence`);
  if (tests.length === 0) problems.push(`${id}: no test`);
  for (const test of tests) {
    if (!specTests.has(test) && !otherTests.has(test)) problems.push(`${id}: there is no test "${test}"`);
    cited.add(test);
  }
}
for (const test of specTests) if (!cited.has(test)) problems.push(`no row needs the test "${test}"`);
if (rows.length < 50 || specTests.size < 50) problems.push('too little was read to be the whole suite');

process.stdout.write(`${rows.length} sentences, ${specTests.size} tests in spec/, ${cited.size} of all tests cited\n`);
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
