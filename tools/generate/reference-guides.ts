import { readFileSync } from 'node:fs';
import type { ReferenceBlock } from '../../server/src/web/reference/blocks.ts';

interface Section {
  readonly id: string;
  readonly title: string;
  readonly blocks: ReferenceBlock[];
}

const project = new URL('../../', import.meta.url);

/** Writes the texts of docs/api-v1.md and docs/api.md as the blocks of which the pages under /docs consist. */
export function renderReferenceGuides(): string {
  const v1 = parseSections(readDocument('api-v1.md'));
  const machine = parseSections(readDocument('api.md'));
  const operations = findOperations(machine.find(({ id }) => id === 'operations')?.blocks ?? []);
  return `// Written by npm run generate from docs/api-v1.md and docs/api.md.
import type { ReferenceBlock } from '../blocks.ts';

export interface Guide {
  readonly id: string;
  readonly title: string;
  readonly blocks: readonly ReferenceBlock[];
}

export const v1Guides: readonly Guide[] = ${JSON.stringify(v1, null, 1)};

export const machineGuides: readonly Guide[] = ${JSON.stringify(
    machine.filter(({ id }) => ['workflow', 'common-rules', 'limits'].includes(id)),
    null,
    1,
  )};

/** The texts about each operation of the machine API, by its path. */
export const machineOperations: Readonly<Record<string, readonly ReferenceBlock[]>> = ${JSON.stringify(operations, null, 1)};
`;
}

function readDocument(name: string): string {
  return readFileSync(new URL(`docs/${name}`, project), 'utf8');
}

/** Splits a document at its headings of the second level. */
function parseSections(text: string): Section[] {
  const sections = text.split(/^## /m).slice(1);
  return sections.map((section) => {
    const end = section.indexOf('\n');
    const title = section.slice(0, end);
    return { id: toAnchor(title), title, blocks: parseBlocks(section.slice(end + 1).split('\n')) };
  });
}

/** As GitHub does it, so that links of the documents lead to the same places. */
function toAnchor(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

function parseBlocks(lines: readonly string[]): ReferenceBlock[] {
  const blocks: ReferenceBlock[] = [];
  let at = 0;
  const takeWhile = (isInside: (line: string) => boolean): string[] => {
    const start = at;
    while (at < lines.length && isInside(lines[at] ?? '')) at += 1;
    return lines.slice(start, at);
  };
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const [marker = ''] = /^(?:```|### |\||- |\d+\. | {4}|<!--|$)/.exec(line) ?? [];
    if (line === '' || marker === '<!--') {
      at += 1;
    } else if (marker === '```') {
      at += 1;
      const code = takeWhile((inner) => inner !== '```');
      at += 1;
      blocks.push({ kind: 'code', text: code.join('\n') });
    } else if (marker === '### ') {
      at += 1;
      const text = line.slice(4);
      blocks.push({ kind: 'heading', level: 2, id: toAnchor(text), text });
    } else if (marker === '|') {
      const [head = [], , ...rows] = takeWhile((inner) => inner.startsWith('|')).map(splitCells);
      blocks.push({ kind: 'table', head, rows });
    } else if (marker === '    ') {
      blocks.push({
        kind: 'code',
        text: takeWhile((inner) => inner.startsWith('    '))
          .map((inner) => inner.trim())
          .join('\n'),
      });
    } else if (marker !== '') {
      const items = takeWhile((inner) => inner !== '')
        .join('\n')
        .split(/^(?:- |\d+\. )/m)
        .slice(1);
      blocks.push({ kind: 'list', ordered: marker !== '- ', items: items.map(joinLines) });
    } else {
      const text = joinLines(takeWhile((inner) => inner !== '' && !/^(?:```|\||<!--)/.test(inner)).join('\n'));
      blocks.push({ kind: 'paragraph', text });
    }
  }
  return blocks;
}

function splitCells(row: string): string[] {
  return row
    .replace(/^\|\s?|\s?\|$/g, '')
    .split(' | ')
    .map((cell) => cell.trim());
}

function joinLines(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, ' ');
}

/**
 * Finds the sentences about each operation. The reference has its own examples, fields and errors; a sentence that ends
 * with a colon announces one of the document.
 */
function findOperations(blocks: readonly ReferenceBlock[]): Record<string, ReferenceBlock[]> {
  const table = blocks.find((block) => block.kind === 'table');
  const found: Record<string, ReferenceBlock[]> = {};
  for (const [, link = '', place = ''] of table?.rows ?? []) {
    const [, anchor = ''] = /\(#(.+)\)/.exec(link) ?? [];
    const [, path = ''] = /`([^`?]+)/.exec(place) ?? [];
    const start = blocks.findIndex((block) => block.kind === 'heading' && block.id === anchor);
    const rest = blocks.slice(start + 1);
    const end = rest.findIndex(({ kind }) => kind === 'heading');
    found[`/${path.replace('<inbox url>', ':inbox').replace('<file name>', ':name')}`] = rest
      .slice(0, end === -1 ? rest.length : end)
      .filter((block) => (block.kind === 'paragraph' && !block.text.endsWith(':')) || block.kind === 'list');
  }
  return found;
}
