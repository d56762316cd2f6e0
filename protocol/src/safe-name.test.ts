import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { limits } from './limits.ts';
import {
  localNameKey,
  numberedName,
  safeLocalName,
  safeLocalNames,
  safeLocalPath,
  safeLocalPaths,
} from './safe-name.ts';

/** Parts of names that some system rejects, or treats as a different name. */
const piece = fc.oneof(
  fc.constantFrom(
    'a',
    'A',
    'é',
    'e\u0301',
    'ß',
    'SS',
    'σ',
    'ς',
    'Σ',
    'ı',
    'I',
    'K',
    '1',
    '-',
    '_',
    ' ',
    '  ',
    '.',
    '..',
  ),
  fc.constantFrom(
    'con',
    'NUL',
    'Com1',
    'lpt¹',
    'CONOUT$',
    '.txt',
    '.tar.gz',
    ' (2)',
    '/',
    '\\',
    ':',
    '?',
    '*',
    '\u0000',
    '\n',
  ),
  fc.constantFrom(
    '\u200b',
    '\u200d',
    '\u3164',
    '\u00ad',
    '\ufe0f',
    '\u{e0041}',
    '\u00a0',
    '\u2800',
    '\u202e',
    '\ufeff',
  ),
  fc.constantFrom('😀', '\ud800', 'x'.repeat(300), ' '.repeat(300), 'ä'.repeat(130)),
  fc.string({ unit: 'binary', maxLength: 4 }),
);
const nastyName = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''));

const device = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:\.|$)/i;

test.prop([fc.array(nastyName, { maxLength: 30 })])('every name is safe and no two are the same anywhere', (names) => {
  const safe = safeLocalNames(names);
  expect(safe).toHaveLength(names.length);
  for (const name of safe) {
    expect(name).not.toMatch(/[<>:"/\\|?*\u0000-\u001f\u007f]|[. ]$/);
    expect(name).not.toMatch(device);
    expect(name.replace(/[\s\u2800\p{Default_Ignorable_Code_Point}]/gu, '')).not.toBe('');
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
    expect(name.isWellFormed()).toBe(true);
  }
  // The way case-insensitive file systems compare names.
  for (const same of [
    (name: string) => name.toLowerCase(),
    (name: string) => name.toUpperCase(),
    (name: string) =>
      name
        .normalize('NFD')
        .toLowerCase()
        .replace(/\p{Default_Ignorable_Code_Point}/gu, ''),
  ]) {
    expect(new Set(safe.map(same)).size).toBe(names.length);
  }
  expect(safeLocalNames(safe)).toEqual(safe);
});

const ordinaryName = fc
  .tuple(
    fc.stringMatching(/^[a-z0-9äéß日本語][A-Za-z0-9äé日本語 ()_,.&+-]{0,40}$/u),
    fc.constantFrom('', '.txt', '.tar.gz', '.PDF'),
  )
  .map(([stem, extension]) => `${stem}${extension}`.normalize('NFC'))
  .filter((name) => !/[. ]$/.test(name) && !device.test(name));

test.prop([fc.uniqueArray(ordinaryName, { selector: localNameKey })])('ordinary names stay as they are', (names) => {
  expect(safeLocalNames(names)).toEqual(names);
});

describe('a name that is not safe', () => {
  test.each([
    ['CON', '_CON'],
    ['nul.txt', '_nul.txt'],
    ['COM1 .csv', '_COM1 .csv'],
    ['com¹', '_com¹'],
    ['report.', 'report_'],
    ['report. .', 'report___'],
    ['..', '__'],
    ['../etc/passwd', '.._etc_passwd'],
    ['a:b?.txt', 'a_b_.txt'],
    ['\u200b\u3164', '_'],
    [' \u00a0', '_'],
    ['', '_'],
    ['gpj.\u202eexe', 'gpj._exe'],
    ['line\nbreak', 'line_break'],
  ])('%j becomes %j', (name, safe) => {
    expect(safeLocalName(name)).toBe(safe);
  });

  test.each([
    '.profile',
    'می\u200cخواهم.pdf',
    '👨\u200d👩\u200d👧.png',
    'console.log',
    'COM10',
    'a (2).txt',
    '日本語.txt',
  ])('%j is one', (name) => {
    expect(safeLocalName(name)).toBe(name);
  });
});

test('names that differ only in case, normalization or invisible characters are numbered', () => {
  const names = [
    'Report.csv',
    'report.CSV',
    'rep\u200bort.csv',
    'report (2).csv',
    're\u0301sume',
    'R\u00e9sume',
    'straße',
    'STRASSE',
  ];
  expect(safeLocalNames(names)).toEqual([
    'Report.csv',
    'report (2).CSV',
    'rep\u200bort (3).csv',
    'report (2) (2).csv',
    'r\u00e9sume',
    'R\u00e9sume (2)',
    'straße',
    'STRASSE (2)',
  ]);
});

test('a number goes before the extension, and the name stays short enough', () => {
  expect(numberedName('a.tar.gz', 2)).toBe('a.tar (2).gz');
  expect(numberedName('.profile', 2)).toBe('.profile (2)');
  expect(numberedName('No. 5 of the report', 3)).toBe('No. 5 of the report (3)');
  const long = numberedName(`${'ä'.repeat(125)}.txt`, 10);
  expect(long).toMatch(/^ä+ \(10\)\.txt$/);
  expect(Buffer.byteLength(long)).toBe(255);
});

/** Trying every number for every name would take hours here. */
test('many names that look the same are numbered in time that grows with their count', () => {
  const names = Array.from({ length: 50_000 }, (_, index) => `report${'\u200b'.repeat(index % 70)}.csv`);
  expect(new Set(safeLocalNames(names)).size).toBe(names.length);
});

const nastyPath = fc.array(nastyName, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));

test.prop([fc.array(nastyPath, { maxLength: 30 })])(
  'every path stays inside its folder, and none is in the way of another',
  (paths) => {
    const safe = safeLocalPaths(paths);
    expect(safe).toHaveLength(paths.length);
    const files = new Set(safe.map((path) => path.split('/').map(localNameKey).join('/')));
    expect(files.size).toBe(paths.length);
    /** The spelling of each folder, by the key that it is compared by. */
    const folders = new Map<string, string>();
    for (const path of safe) {
      const names = path.split('/');
      expect(names.map(safeLocalName)).toEqual(names);
      for (let depth = 1; depth < names.length; depth += 1) {
        const folder = names.slice(0, depth);
        const key = folder.map(localNameKey).join('/');
        expect(files).not.toContain(key);
        expect(folders.get(key) ?? folder.join('/')).toBe(folder.join('/'));
        folders.set(key, folder.join('/'));
      }
    }
    expect(safeLocalPaths(safe)).toEqual(safe);
  },
);

test.prop([fc.array(fc.array(ordinaryName, { minLength: 1, maxLength: 4 }), { maxLength: 20 })])(
  'ordinary paths in distinct folders stay as they are',
  (paths) => {
    const distinct = paths.map((names, index) => [`folder ${index}`, ...names].join('/'));
    expect(safeLocalPaths(distinct)).toEqual(distinct);
  },
);

test('folders that count as the same are one, and a folder gives way to a file', () => {
  const paths = [
    'Reports/a.txt',
    'reports/b.txt',
    'REPORTS/A.TXT',
    'x',
    'x/y',
    'X/z',
    '../../etc/passwd',
    '/a//b',
    'C:\\d',
  ];
  expect(safeLocalPaths(paths)).toEqual([
    'Reports/a.txt',
    'Reports/b.txt',
    'Reports/A (2).TXT',
    'x',
    'x (2)/y',
    'x (2)/z',
    '__/__/etc/passwd',
    '_/a/_/b',
    'C__d',
  ]);
});

test('a path as deep as the server takes is kept, and of a deeper one its name', () => {
  const deepest = Array.from({ length: limits.filePathDepth }, () => 'd');
  expect(safeLocalPath(deepest.join('/'))).toEqual(deepest);
  expect(safeLocalPath(`d/${deepest.join('/')}`)).toEqual(['d']);
  expect(safeLocalPath('../'.repeat(1000))).toEqual(['_']);
});

test('a name with a long run of spaces takes little longer than any other', () => {
  const measure = (name: string) => {
    const startedAt = process.threadCpuUsage();
    for (let count = 0; count < 1_000; count += 1) safeLocalName(name);
    return process.threadCpuUsage(startedAt).user;
  };
  const measureBest = (name: string) => Math.min(...Array.from({ length: 5 }, () => measure(name)));
  expect(measureBest(`a${' '.repeat(240)}b`)).toBeLessThan(4 * measureBest(`a${'x'.repeat(240)}b`));
});
