import { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { fc, test } from '@fast-check/vitest';
import { parseCsv, restoreCell, writeCsv } from '@waybill/protocol';
import { fastify } from 'fastify';
import { expect } from 'vitest';
import { replyWithCsv } from './csv.ts';

async function* read(rows: readonly (readonly string[])[]) {
  yield* rows;
}
const write = (rows: readonly (readonly string[])[]) => readText(Readable.from(writeCsv(read(rows))));

const characters = '=+-@＝＠\'",;\t\r\n\0 aé'.split('');
const cell = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(...characters), maxLength: 6 }),
);

test.prop([fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 5 })])(
  'a table is read as it was written, and no cell is a formula',
  async (rows) => {
    const table = [['a', 'b', 'c', 'd'], ...rows];
    const records = parseCsv(await write(table));
    if (!Array.isArray(records)) throw new Error(`Line ${records.brokenLine} is broken.`);
    for (const { fields } of records) {
      for (const field of fields) expect(field).not.toMatch(/^[\s\p{Cc}]*[=+\-@＝＋－＠]/u);
    }
    const restore = (fields: readonly string[]) => fields.map((field) => restoreCell(field.trim()).trim());
    const isSeen = (fields: readonly string[]) => fields.some((field) => field.trim() !== '');
    expect(records.map(({ fields }) => restore(fields))).toEqual(table.filter(isSeen).map(restore));
  },
);

test.each([
  ['=HYPERLINK("https://evil.example")', `"'=HYPERLINK(""https://evil.example"")"`],
  ['+46 70', `"'+46 70"`],
  ['-1', `"'-1"`],
  ['@sum', `"'@sum"`],
  ['\t=1', `"'\t=1"`],
  ['＝1', `"'＝1"`],
  ['a-b', '"a-b"'],
  ['', '""'],
])('%j is written as %j', async (text, expected) => {
  expect(await write([[text]])).toBe(`\ufeff${expected}\r\n`);
});

test('a long table is sent in pieces, as a file with a name', async () => {
  const rows = Array.from({ length: 1000 }, () => ['x'.repeat(100)]);
  expect(await Readable.from(writeCsv(read(rows))).toArray()).toHaveLength(7);
  const app = fastify().get('/', (_request, reply) => replyWithCsv(reply, 'Kontakte für März.csv', read(rows)));
  const { body, headers } = await app.inject('/');
  expect(body.match(/\r\n/g)).toHaveLength(1000);
  expect(headers['content-type']).toBe('text/csv; charset=utf-8');
  expect(headers['content-disposition']).toContain("filename*=UTF-8''Kontakte%20f%C3%BCr%20M%C3%A4rz.csv");
});
