import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { fakeTerminal } from '../../testing/fake-terminal.ts';
import type { Column } from './table.ts';
import { Output } from './terminal.ts';
import { textWidth } from './text-width.ts';

interface Row {
  address: string;
  name: string;
  state: 'live' | 'revoked';
  files: number;
}

const columns: readonly Column<Row>[] = [
  { header: 'ADDRESS', cell: ({ address }) => address, min: 20 },
  { header: 'NAME', cell: ({ name }) => name, min: 8 },
  { header: 'FILES', cell: ({ files }) => `${files} in all`, plain: ({ files }) => String(files), side: 'right' },
  { header: 'NOTE', cell: () => '' },
  { header: 'STATE', cell: ({ state }) => state, style: ({ state }) => (state === 'live' ? 'green' : 'red') },
];
const rows: Row[] = [
  { address: 'anna@example.org', name: '日本 Zoe\u0308', state: 'live', files: 7 },
  {
    address: `${'long'.repeat(30)}@example.org`,
    name: `\u001b[31m${'x'.repeat(40)}\t\u202e`,
    state: 'revoked',
    files: 12,
  },
];

async function printed(width: number | undefined, environment = {}, json = false, list = rows) {
  const terminal = fakeTerminal('/', environment);
  if (width !== undefined) Object.assign(terminal.output, { isTTY: true, columns: width });
  const count = await new Output(terminal, json).printList(columns, list);
  expect(count).toBe(list.length);
  return terminal.output.text.trimEnd().split('\n');
}

describe('a table on a terminal', () => {
  test.each([20, 60, 80, 140])('fits into %i columns, and its columns are aligned', async (width) => {
    const lines = (await printed(width)).map(stripVTControlCharacters);
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
    expect(lines[0]).toMatch(/^ADDRESS/);
    expect(lines[1]).toMatch(/^anna@example.org(?= |$)/);
  });

  test('has a header, no empty column, and short cells in full', async () => {
    expect(await printed(60, { NO_COLOR: '1' })).toEqual([
      'ADDRESS               NAME                    FILES  STATE',
      'anna@example.org      日本 Zoe\u0308             7 in all  live',
      'longlonglonglonglon…  \ufffd[31mxxxxxxxxxxxx…  12 in all  revoked',
    ]);
  });

  test('has colours, unless NO_COLOR is set or the terminal does not support them', async () => {
    const [header, first, second] = await printed(140);
    expect(header).toMatch(/^\u001b\[1mADDRESS/);
    expect(first).toContain('\u001b[32mlive\u001b[39m');
    expect(second).toContain('\u001b[31mrevoked\u001b[39m');
    for (const environment of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      expect((await printed(140, environment)).join('')).not.toContain('\u001b');
    }
  });

  test('contains no control characters', async () => {
    const text = stripVTControlCharacters((await printed(140)).join(''));
    expect(text).toContain('\ufffd[31mxxx');
    expect(text).not.toMatch(/\p{Cc}|\u202e/u);
  });

  test('keeps the column widths of its first rows, and does not truncate numbers', async () => {
    const many = Array.from({ length: 250 }, (_, files): Row => ({ ...(rows[files % 2] as Row), files }));
    const lines = (await printed(80, { NO_COLOR: '1' }, false, many)).map((line) => line.trimEnd());
    expect(lines).toHaveLength(251);
    expect(lines[0]).toContain('NOTE');
    expect(lines[201]?.indexOf('200 in all')).toBe((lines[1]?.indexOf('0 in all') ?? 0) - 1);
  });
});

test('other outputs have tabs and whole cells, without headers and colours', async () => {
  expect(await printed(undefined, { FORCE_COLOR: '1' })).toEqual([
    'anna@example.org\t日本 Zoe\u0308\t7\t\tlive',
    `${'long'.repeat(30)}@example.org\t\ufffd[31m${'x'.repeat(40)}\ufffd\ufffd\t12\t\trevoked`,
  ]);
});

test('JSON output contains the rows unchanged', async () => {
  expect((await printed(80, {}, true)).map((line) => JSON.parse(line) as Row)).toEqual(rows);
});
