import { expect, test } from 'vitest';
import { parseCsv, readCsv } from './csv.ts';

const readFields = (text: string) => {
  const records = parseCsv(text);
  return Array.isArray(records) ? records.map(({ fields }) => fields) : records;
};

test.each<[string, string, ReturnType<typeof readFields>]>([
  [
    'separators, spaces and the last line',
    'a,b\n1 , 2\n3,4',
    [
      ['a', 'b'],
      ['1', '2'],
      ['3', '4'],
    ],
  ],
  [
    'the lines of Windows and old Macs, and a byte order mark',
    '\ufeffa,b\r\n1,2\r3,\n',
    [
      ['a', 'b'],
      ['1', '2'],
      ['3', ''],
    ],
  ],
  [
    'quotation marks',
    'a,b\n"1,""x""\n2",3',
    [
      ['a', 'b'],
      ['1,"x"\n2', '3'],
    ],
  ],
  [
    'semicolons',
    'a;b\n1,5;2',
    [
      ['a', 'b'],
      ['1,5', '2'],
    ],
  ],
  [
    'tabs',
    'a\tb\n1\t2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  ['empty lines', 'a\n\n,\n1\n', [['a'], ['1']]],
  ['nothing', '', []],
  ['a quotation mark that is not closed', 'a,b\n1,"2\n', { brokenLine: 2 }],
  ['text after a quotation mark', 'a\n"1" x\n', { brokenLine: 2 }],
])('%s', (_what, text, expected) => {
  expect(readFields(text)).toEqual(expected);
});

test('a record has its line number, also after fields with several lines', () => {
  expect(parseCsv('a\r\n"1\n2"\n\n3')).toEqual([
    { line: 1, fields: ['a'] },
    { line: 2, fields: ['1\n2'] },
    { line: 5, fields: ['3'] },
  ]);
});

test('reads one record after another, and none beyond its limits', () => {
  const most = { fields: 2, length: 10 };
  expect([...readCsv('a,b\n\n1,"2"\n', most)]).toEqual([
    { line: 1, fields: ['a', 'b'] },
    undefined,
    { line: 3, fields: ['1', '2'] },
  ]);
  expect([...readCsv('a,b\n1,2,3', most)].at(-1)).toEqual({ fault: 'columns', line: 2 });
  expect([...readCsv('a,b\n1,23456789ab', most)].at(-1)).toEqual({ fault: 'columns', line: 2 });
  expect([...readCsv('a,b\n"23456789ab"', most)].at(-1)).toEqual({ fault: 'quote', line: 2 });
  const endless = readCsv('a,'.repeat(1_000_000), most);
  expect([endless.next().value, endless.next().done]).toEqual([{ fault: 'columns', line: 1 }, true]);
});
