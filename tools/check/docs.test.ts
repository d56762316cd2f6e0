import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { exitCodes as clientExitCodes } from '../../client/src/command/exit-codes.ts';
import { errorCodes, errors } from '../../protocol/src/errors.ts';
import { limits } from '../../protocol/src/limits.ts';
import { exitCodes } from '../../server/src/cli/failure.ts';
import { configTable } from '../../server/src/config/config.ts';
import { auditActions } from '../../server/src/domain/audit/actions.ts';
import { toAuditJson } from '../../server/src/domain/audit/to-audit-json.ts';
import { makeAuditEntry } from '../../server/test/audit-entry.ts';
import { renderConfigurationDocument } from '../generate/config-docs.ts';
import { renderReferenceGuides } from '../generate/reference-guides.ts';
import { documents } from './documents.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(project, path), 'utf8');
/** A document without its code, in which a bracket is no link. */
function readProse(path: string): string {
  return read(path)
    .replace(/^```[\s\S]*?^```/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()#]/g, ' '));
}

/** The anchors that a heading gets when the document is shown. */
function findAnchors(path: string): Set<string> {
  const text = read(path).replace(/^```[\s\S]*?^```/gm, '');
  const seen = new Map<string, number>();
  return new Set(
    [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, title]) => {
      const words = (title ?? '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
      const slug = words.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
      const times = seen.get(slug) ?? 0;
      seen.set(slug, times + 1);
      return times === 0 ? slug : `${slug}-${times}`;
    }),
  );
}

function findLinks(path: string): string[] {
  const text = readProse(path);
  const inline = [...text.matchAll(/\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g)].map((match) => match[1] ?? '');
  const images = [...text.matchAll(/(?:src|srcset|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
  return [...inline, ...images].filter((link) => !/^[a-z]+:/i.test(link));
}

function isBroken(document: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? join(project, document) : resolve(project, dirname(document), path);
  if (relative(project, target).startsWith('..') || !existsSync(target)) return true;
  if (anchor === undefined) return false;
  return statSync(target).isDirectory() || !findAnchors(relative(project, target)).has(anchor);
}

/** Folders that a command makes. */
const built = new Set(['gallery/', 'server/dist/']);

/** Whether there is such a path, also if it omits the first folders of the server, or stands for several files. */
function isNamedPath(path: string): boolean {
  const pattern = path.replace(/[A-Z]{4,}(?:_\w+)?|…/g, '*').replace(/\/$/, '');
  const roots = ['', 'server/', 'server/src/', 'server/src/domain/', 'server/src/*/', 'server/src/*/*/'];
  return existsSync(join(project, path)) || roots.some((root) => globSync(root + pattern, { cwd: project }).length > 0);
}

test.each(documents)('every relative link of %s leads somewhere', (document) => {
  expect(findLinks(document).filter((link) => isBroken(document, link))).toEqual([]);
});

test('every section of a document that code cites exists', () => {
  const cited = globSync('{server,client,protocol}/src/**/*.ts*', { cwd: project })
    .concat(globSync('{acceptance,tools}/**/*.ts', { cwd: project }))
    .flatMap((path) => [...read(path).matchAll(/\bdocs\/[\w/-]+\.md#[\w-]+/g)].map(([section]) => ({ path, section })));
  expect(cited.length).toBeGreaterThan(30);
  expect(cited.filter(({ section }) => isBroken('.', section))).toEqual([]);
});

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('every file and folder that %s names exists', (document) => {
  const code = [...read(document).matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '');
  const named = code.filter((text) => /^[\w.][^\s{}:=]*\/|^[\w-]+(?:\*)?\.tsx?$/.test(text) && !built.has(text));
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((path) => !isNamedPath(path))).toEqual([]);
});

test('the documents link to one another', () => {
  expect(documents.flatMap(findLinks).length).toBeGreaterThan(30);
});

test('docs/configuration.md is what the settings say', () => {
  expect(read('docs/configuration.md')).toBe(renderConfigurationDocument());
});

test('the pages under /docs have the texts of docs/api-v1.md and docs/api.md', () => {
  expect(read('server/src/web/reference/generated/guides.ts'), 'run npm run generate').toBe(renderReferenceGuides());
});

/** The rows of the table under a heading of docs/api.md, cell by cell. */
function readTable(heading: string): string[][] {
  const section = read('docs/api.md').split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const [, , ...rows] = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

test('the table of errors in docs/api.md has every code with its status, and no other', () => {
  const documented = readTable('Errors').map(([status, code]) => `${code} ${status}`);
  const real = errorCodes.map((code) => `${code} ${errors[code].status}`);
  expect(documented.toSorted()).toEqual(real.toSorted());
});

test('the table of errors in docs/api.md says which codes occur only elsewhere, and which of them on /api/v1', () => {
  const documented = readTable('Errors').flatMap(([, code, when = '']) =>
    when.startsWith('only on ') ? [`${code} ${when.includes('/api/v1')}`] : [],
  );
  const real = errorCodes.flatMap((code) => {
    const { surfaces } = errors[code];
    return surfaces.includes('api') ? [] : [`${code} ${surfaces.includes('v1')}`];
  });
  expect(documented.toSorted()).toEqual(real.toSorted());
});

test('the table of limits in docs/api.md has every limit with its value', () => {
  const documented = Object.fromEntries(
    readTable('Limits').flatMap(([name, value]) =>
      name && name in limits ? [[name, Number(value?.replaceAll(',', ''))]] : [],
    ),
  );
  expect(documented).toEqual(limits);
});

test('docs/client.md names all exit codes', () => {
  const codes = [...read('docs/client.md').matchAll(/^\| (\d+) \| /gm)].map(([, code]) => Number(code));
  expect(codes).toEqual(Object.values(clientExitCodes));
});

test('docs/doctor.md lists what the doctor examines, and nothing else', () => {
  const [, table = ''] = /\| Check \|.*\n\| --- .*\n((?:\| .*\n)+)/.exec(read('docs/doctor.md')) ?? [];
  const documented = [...table.matchAll(/`([a-z\d]+\.[a-z]+)`(?=.*\|.*\|)/g)].map(([, name]) => name ?? '');
  const paths = [
    'server/src/{engines/*/examine{,-backups},http/server/examine-tls,domain/keys/examine-day-keys,domain/evidence/examine-log,domain/audit/examine-audit-targets,domain/accounts/check-pepper}.ts',
  ];
  const real = globSync(paths, { cwd: project }).flatMap((path) =>
    [...read(path).matchAll(/'([a-z\d]+\.[a-z]+)'/g)].map(([, name]) => name ?? ''),
  );
  expect(documented.filter((name) => !name.startsWith('mail.')).toSorted()).toEqual([...new Set(real)].toSorted());
});

test('docs/processes.md lists the exit codes', () => {
  const [, table = ''] = /\| Exit code \|.*\n\| --- .*\n((?:\| .*\n)+)/.exec(read('docs/processes.md')) ?? [];
  const codes = [...table.matchAll(/^\| (\d+) \| /gm)].map(([, code]) => Number(code));
  expect(codes).toEqual(Object.values(exitCodes));
});

test('docs/records.md says of every table how long it is kept, with the default of every setting', () => {
  const [, section = ''] = read('docs/records.md').split('\n## How long records are kept\n');
  const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => /^\| (?!Record|---)/.test(line));
  const [tables, periods] = [2, 3].map((cell) => rows.map((row) => row.split('|')[cell] ?? '').join());
  const documented = [...(tables ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name ?? '');
  const [, schema = ''] = read('server/src/engines/postgres/schema.ts').split('export interface DB {');
  const real = [...schema.matchAll(/^ {2}(\w+): /gm)].map(([, name]) => name ?? '');
  expect([...new Set(documented)].toSorted()).toEqual(real.toSorted());

  const documentedDefaults = [...(periods ?? '').matchAll(/`(WAYBILL_\w+)` \((\d+)\)/g)].map(([, name, days]) => [
    name,
    days,
  ]);
  for (const [name = '', value] of documentedDefaults)
    expect([name, configTable[name]?.default]).toEqual([name, value]);
  const named = new Set(documentedDefaults.map(([name]) => name));
  expect(Object.keys(configTable).filter((name) => name.endsWith('_DAYS') && !named.has(name))).toEqual([]);
});

test('docs/sizing.md uses the figures of docs/scaling.md', () => {
  const [, worksheet = ''] = read('docs/sizing.md').split('\n## Worksheet\n');
  const figures = [...worksheet.matchAll(/(?<![\d.] × )\b\d[\d,.]* (?:ms|MiB\/s|kB)\b/g)].map(([figure]) => figure);
  expect(figures.length).toBeGreaterThan(5);
  const measured = read('docs/scaling.md');
  expect(figures.filter((figure) => !measured.includes(figure))).toEqual([]);
});

test('every entry about another product in README.md links to its source', () => {
  const [, section = ''] = read('README.md').split('\n## Compared with other products\n');
  const [, , ...rows] = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('|'));
  const entries = rows.flatMap((row) => row.split('|').slice(3, -1)).map((entry) => entry.trim());
  expect(entries.length).toBeGreaterThan(50);
  const sources = new Set([...section.matchAll(/^\[([\w-]+)\]: https:/gm)].map(([, name]) => name));
  const cited = entries.map((entry) =>
    entry === '·' ? undefined : (/^\[.+\]\[([\w-]+)\]$/.exec(entry)?.[1] ?? entry),
  );
  expect(cited.filter((name) => name !== undefined && !sources.has(name))).toEqual([]);
});

test('docs/audit.md lists every action', () => {
  const listed = [...read('docs/audit.md').matchAll(/^\| `([a-z_]+\.[a-z_]+)` \| ([^|]+) \|$/gm)];
  expect(Object.fromEntries(listed.map(([, action, meaning]) => [action, meaning]))).toEqual(auditActions);
});

test('docs/audit.md lists every field of an entry with its type', () => {
  const [, table = ''] = /\| Field \| Type \|.*\n\| --- .*\n((?:\| .*\n)+)/.exec(read('docs/audit.md')) ?? [];
  const documented = [...table.matchAll(/^\| `([a-z_.]+)` \| ([a-z ]+) \| /gm)].map(([, name, type]) => [name, type]);
  const full = toAuditJson(makeAuditEntry({ addresses: ['a@example.org'], before: {}, after: {} }));
  const bare = toAuditJson(makeAuditEntry({ account: null, details: {}, before: null, after: null }));
  expect(documented).toEqual(listFields(full, bare));
});

/** The paths of an object with the types of their values; one that can also be null is so in the second object. */
function listFields(full: object, bare: object, prefix = ''): string[][] {
  return Object.entries(full).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    const other = (bare as Record<string, unknown>)[name];
    if (path === 'actor') return listFields(value as object, other as object, 'actor.');
    const type = Array.isArray(value) ? 'array of strings' : typeof value;
    return [[path, other === null ? `${type} or null` : type]];
  });
}
