// The glossary of docs/terms.md, held against the interfaces: a word that it retires is in no name there.
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { flattenCommands, makeProgram } from '../../client/src/command/program.ts';
import { fakeTerminal } from '../../client/src/testing/fake-terminal.ts';
import { v1Document } from '../../server/src/http/v1/openapi.ts';
import { routes } from '../../server/src/http/v1/routes.ts';

const glossary = readFileSync(new URL('../../docs/terms.md', import.meta.url), 'utf8');
const [, table = ''] = /\| Concept \| Word \| Not used \|\n\| --- \| --- \| --- \|\n((?:\|.*\n)+)/.exec(glossary) ?? [];
const retired = table.split('\n').flatMap((row) => row.split('|')[3]?.trim().split(', ') ?? []);

/** `receiverDomains`, `receiver_domains` and `--receiver-domains` → the words in them. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

function isRetired(name: string): boolean {
  const words = `_${wordsOf(name).join('_')}_`;
  return retired.some((word) => words.includes(`_${word}_`));
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
  expect(retired.length).toBeGreaterThan(10);
  expect(['drop.number', 'size_bytes', 'recipientDomains', '--ttl'].filter(isRetired)).toHaveLength(4);
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
