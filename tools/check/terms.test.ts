// Enforces docs/terms.md: no retired word appears in the documents or in a name of the interfaces.
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { flattenCommands, makeProgram } from '../../client/src/command/program.ts';
import { fakeTerminal } from '../../client/src/testing/fake-terminal.ts';
import { v1Document } from '../../server/src/http/v1/openapi/openapi.ts';
import { routes } from '../../server/src/http/v1/routes.ts';
import { documents } from './documents.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
const glossary = readFileSync(`${project}docs/terms.md`, 'utf8');

/** The rows of the table in docs/terms.md whose first column has this heading, cell by cell. */
function readTable(heading: string): string[][] {
  const [, rows = ''] = new RegExp(String.raw`^\| ${heading} \|.*\n\| --- .*\n((?:\|.*\n)+)`, 'm').exec(glossary) ?? [];
  return rows
    .trimEnd()
    .split('\n')
    .map((row) => row.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
}

interface RetiredWord {
  forms: string[];
  checkedIn: string[];
  /** The documents that may use the word. */
  allowedIn: string[];
}

const retiredWords = readTable('Word').map(
  ([forms = '', , checkedIn = '', remains = '']): RetiredWord => ({
    forms: forms.split(', '),
    checkedIn: checkedIn.split(', '),
    allowedIn: [...remains.matchAll(/`([\w/-]+\.md)`/g)].map(([, path = '']) => path),
  }),
);
const checkedInNames = retiredWords.flatMap(({ forms, checkedIn }) => (checkedIn.includes('names') ? forms : []));
const checkedInDocuments = retiredWords.filter(({ checkedIn }) => checkedIn.includes('documents'));

/** `receiverDomains`, `receiver_domains` and `--receiver-domains` → the words in them. */
function splitName(name: string): string[] {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

function isRetired(name: string): boolean {
  const words = `_${splitName(name).join('_')}_`;
  return checkedInNames.some((word) => words.includes(`_${word.replace(' ', '_')}_`));
}

/** Every name in a JSON document that is a key, or the value of one of these keys. */
function namesIn(value: unknown, named = new Set(['operationId', 'name'])): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(Array.isArray(value) ? [] : [key]),
    ...(named.has(key) && typeof inner === 'string' ? [inner] : []),
    ...namesIn(inner, named),
  ]);
}

test('the glossary retires words', () => {
  expect(checkedInNames.length).toBeGreaterThan(10);
  expect(['drop.number', 'size_bytes', 'recipientDomains', '--ttl'].filter(isRetired)).toHaveLength(4);
});

test('every word that a concept does not use is retired', () => {
  const unused = readTable('Concept').flatMap(([, , words = '']) => words.split(', ').filter((word) => word !== ''));
  const known = new Set(retiredWords.flatMap(({ forms }) => forms));
  expect(unused.length).toBeGreaterThan(10);
  expect(unused.filter((word) => !known.has(word))).toEqual([]);
});

/** A document without code and without the targets of links. */
function readProse(path: string): string {
  return readFileSync(project + path, 'utf8')
    .replace(/^ *```[\s\S]*?^ *```/gm, '')
    .replace(/`[^`\n]*`/g, '')
    .replace(/\]\([^)\s]*\)/g, ']');
}

/** Excerpts of the text that contain one of these words, in the singular or the plural. */
function findWords(text: string, forms: string[]): string[] {
  return forms.flatMap((form) => {
    const pattern = new RegExp(String.raw`\b${form.replace(' ', String.raw`[\s-]+`)}s?\b`, 'gi');
    return [...text.matchAll(pattern)].map(({ index }) => text.slice(Math.max(0, index - 40), index + 40));
  });
}

test.each(documents.filter((path) => path !== 'docs/terms.md'))('%s uses no retired word', (path) => {
  const prose = readProse(path);
  const checked = checkedInDocuments.filter(({ allowedIn }) => !allowedIn.includes(path));
  expect(checked.flatMap(({ forms }) => findWords(prose, forms))).toEqual([]);
});

test('every document that may use a retired word exists', () => {
  const allowed = new Set(retiredWords.flatMap(({ allowedIn }) => allowedIn));
  expect([...allowed].filter((path) => !documents.includes(path))).toEqual([]);
});

describe('no retired word is', () => {
  test('a name in the OpenAPI document of /api/v1', () => {
    const { paths, components } = v1Document(routes) as unknown as { paths: object; components: { responses: object } };
    // These are named after error codes, which the machine API has too.
    const { responses: _, ...others } = components;
    expect([...new Set(namesIn([paths, others]))].filter(isRetired)).toEqual([]);
  });

  test('a name that the SDK exports, or a property of one', () => {
    const declarations = readFileSync(new URL('../../docs/sdk.md', import.meta.url), 'utf8');
    const names = [...declarations.matchAll(/^(?:#+|\|) `?([A-Za-z_.]+)/gm)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(200);
    expect([...new Set(names)].filter(isRetired)).toEqual([]);
  });

  test('a command or an option of waybill', () => {
    const program = makeProgram(fakeTerminal(tmpdir()), new AbortController().signal, '1.2.3');
    const names = flattenCommands(program).flatMap((command) => [
      command.name(),
      ...command.options.map(({ long }) => long ?? ''),
    ]);
    expect(names).toContain('--external-id');
    expect(names.filter(isRetired)).toEqual([]);
  });
});
