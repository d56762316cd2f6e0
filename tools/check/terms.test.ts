// Enforces docs/terms.md: no retired word appears in a document, in a name or in a text that people read. Also checks how
// comments start.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { flattenCommands, makeProgram } from '../../client/src/command/program.ts';
import { fakeTerminal } from '../../client/src/testing/fake-terminal.ts';
import { v1Document } from '../../server/src/api/v1/openapi/openapi.ts';
import { routes } from '../../server/src/api/v1/routes.ts';
import { readSource } from './declared-names.ts';
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

const retiredWords = readTable('Retired word').map(
  ([forms = '', , checkedIn = '', remains = '']): RetiredWord => ({
    forms: forms.split(', '),
    checkedIn: checkedIn.split(', '),
    allowedIn: [...remains.matchAll(/`([\w/-]+\.md)`/g)].map(([, path = '']) => path),
  }),
);
const listForms = (kind: string) =>
  retiredWords.flatMap(({ forms, checkedIn }) => (checkedIn.includes(kind) ? forms : []));
const [checkedInNames, checkedInCode, checkedInTexts] = [listForms('names'), listForms('code'), listForms('texts')];
const checkedInDocuments = retiredWords.filter(({ checkedIn }) => checkedIn.includes('documents'));

/** `receiverDomains`, `receiver_domains` and `--receiver-domains` → the words in them. */
function splitName(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

/** The retired words in a name, in the singular or the plural. */
function findRetired(name: string, forms: readonly string[]): string[] {
  const words = `_${splitName(name).join('_')}_`;
  return forms.filter((form) => [form, `${form}s`].some((word) => words.includes(`_${word.replace(' ', '_')}_`)));
}

function isRetired(name: string): boolean {
  return findRetired(name, checkedInNames).length > 0;
}

/** Every name in a JSON document that is a key, or the value of one of these keys. */
function namesIn(value: unknown, named = new Set(['operationId', 'name'])): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(Array.isArray(value) ? [] : [key]),
    ...(named.has(key) && typeof inner === 'string' ? [inner] : []),
    // The events of a receipt have the names of their own format.
    ...(key === 'example' ? [] : namesIn(inner, named)),
  ]);
}

test('the glossary retires words', () => {
  expect(checkedInNames.length).toBeGreaterThan(10);
  expect(['drop.number', 'size_bytes', 'recipientDomains', '--ttl'].filter(isRetired)).toHaveLength(4);
});

test('every word that a concept does not use is retired', () => {
  const unused = readTable('Word').flatMap(([, , words = '']) => words.split(', ').filter((word) => word !== ''));
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

interface Exception {
  readonly words: readonly string[];
  readonly files: RegExp;
  readonly why: string;
}

const inCode: readonly Exception[] = [
  {
    words: ['nick', 'ttl', 'desttime'],
    files: /^(?:protocol\/src\/(?:contact|dispatch|history)\.ts|server\/src\/api\/machine\/|acceptance\/)/,
    why: 'the wire of the machine API',
  },
  {
    words: ['nick', 'desttime'],
    files: /^server\/(?:src\/(?:http|api\/v1|web)|test\/quotas)[^ ]*\.test\.ts$/,
    why: 'requests of the machine API in tests',
  },
  {
    words: ['desttime'],
    files: /^server\/src\/domain\/(?:accounts|drops|keys|outbox)\/[^ ]*\.test\.ts$/,
    why: 'parameters of a dispatch, which the domain takes as the machine API has them',
  },
  {
    words: ['recipient'],
    files: /^(?:protocol|client)\/src\/(?:errors|generated\/errors|command\/(?:error-report|watch\/watch-advice))\.ts$/,
    why: 'the code recipient_not_allowed, which the machine API has, too',
  },
  {
    words: ['ttl', 'grant'],
    files: /^server\/test\/servers\/identity-provider\.ts$/,
    why: 'options of oidc-provider',
  },
  {
    words: ['recipient'],
    files: /^server\/src\/(?:engines\/dsn|domain\/ports\/mailer|domain\/outbox\/read-bounces)/,
    why: 'a recipient of RFC 3464, which need not be a receiver',
  },
  { words: ['ttl'], files: /^tools\/check\/postgres-examples\.test\.ts$/, why: 'a setting of Patroni' },
  { words: ['letter'], files: /^server\/src\/present\/mails\/mail\.tsx$/, why: 'letterSpacing of CSS' },
  {
    words: ['answer', 'answers'],
    files: /^(?:client\/src\/command\/terminal\/ask\.ts|server\/src\/cli\/setup\/)/,
    why: "a person's answer to a question",
  },
];

const inTexts: readonly Exception[] = [
  {
    words: ['answer'],
    files: /^server\/src\/domain\/idempotency\/respond-once\.ts$/,
    why: 'the label from which a stored key is derived',
  },
];

const tracked = execFileSync('git', ['ls-files'], { cwd: project, encoding: 'utf8' }).trimEnd().split('\n');
const sources = tracked
  .filter((path) => /\.(?:ts|tsx|mjs)$/.test(path))
  .map((path) => ({ path, source: readFileSync(project + path, 'utf8') }))
  .map(({ path, source }) => ({ path, source, ...readSource(path, source) }));

test('no comment starts with a word that only its code explains', () => {
  const start =
    /(?:\/\*\*?\s+(?:\* )?|(?<!^ *\/\/.*\n *)\/\/ )(?:What|Who|Whom|Whose|Whatever|Whoever|Whichever|So that) .*/gm;
  expect('/**\n * What it is.'.match(start)).toHaveLength(1);
  const written = sources.filter(({ path }) => !path.includes('/generated/'));
  expect(
    written.flatMap(({ path, source }) => (source.match(start) ?? []).map((found) => `${path}: ${found}`)),
  ).toEqual([]);
});

/** Removes the words that these exceptions allow in a file, and notes which exceptions are used. */
function applyExceptions(exceptions: readonly Exception[]) {
  const used = new Set<Exception>();
  const isAllowed = (path: string, word: string) => {
    const exception = exceptions.find(({ files, words }) => files.test(path) && words.includes(word));
    if (exception) used.add(exception);
    return exception !== undefined;
  };
  return { isAllowed, listUnused: () => exceptions.filter((exception) => !used.has(exception)) };
}

describe('no retired word is', () => {
  test('the name of a file', () => {
    expect(tracked.filter((path) => findRetired(path, checkedInCode).length > 0)).toEqual([]);
    expect(findRetired('server/src/web/contact/desk-store.ts', checkedInCode)).toEqual(['desk']);
  });

  test('a name that the code declares', () => {
    const { isAllowed, listUnused } = applyExceptions(inCode);
    const found = sources.flatMap(({ path, names }) =>
      names.flatMap(({ name, line }) =>
        findRetired(name, checkedInCode)
          .filter((word) => !isAllowed(path, word))
          .map((word) => `${path}:${line} ${name} (${word})`),
      ),
    );
    expect(found).toEqual([]);
    expect(listUnused(), 'exceptions that nothing needs').toEqual([]);
  });

  test('in an English text of a page or a mail', () => {
    const texts = JSON.parse(readFileSync(`${project}server/texts/en.json`, 'utf8')) as Record<string, string>;
    expect(Object.values(texts).flatMap((text) => findWords(text, checkedInTexts))).toEqual([]);
  });

  test('in a message of an error or of a command', () => {
    const { isAllowed, listUnused } = applyExceptions(inTexts);
    const found = sources
      .filter(({ path }) => /^(?:protocol|client|server)\/src\/(?!http|api|web|present|engines)/.test(path))
      .filter(({ path }) => !path.includes('.test.') && !path.includes('/testing/'))
      .flatMap(({ path, texts }) =>
        texts.flatMap(({ name, line }) =>
          checkedInTexts
            .filter((word) => findWords(name, [word]).length > 0 && !isAllowed(path, word))
            .map((word) => `${path}:${line} ${word}: ${name.slice(0, 80)}`),
        ),
      );
    expect(found).toEqual([]);
    expect(listUnused(), 'exceptions that nothing needs').toEqual([]);
  });

  test.each([
    ['a function', 'function grantAccess() {}', 'grantAccess'],
    ['a type', 'interface DeskStore {}', 'DeskStore'],
    ['a variable', 'const { answers } = read();', 'answers'],
    ['a parameter', 'const send = (recipient: string) => recipient;', 'recipient'],
    ['a property', 'export const limits = { perRecipient: 3 };', 'perRecipient'],
    ['a method', 'class Store { giveUp() {} }', 'giveUp'],
  ])('overlooked as %s', (_kind, source, name) => {
    const { names } = readSource('example.ts', source);
    expect(names.filter((declared) => findRetired(declared.name, checkedInCode).length > 0)).toMatchObject([{ name }]);
  });

  test('overlooked in a text', () => {
    const { texts } = readSource('example.ts', 'throw new Error(`The link ${id} was withdrawn.`);');
    expect(texts.flatMap(({ name }) => findWords(name, checkedInTexts))).toHaveLength(1);
  });
});
