import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireKind } from '../../../../tools/test/require-kind.ts';
import { plainOperator } from '../../../test/plain-operator.ts';
import { beginDelivery, handOver, toFiles } from '../../../test/receipts.ts';
import { receiptPages } from '../../present/receipt/receipt-pages.ts';
import { createTranslators } from '../../present/texts/translator.ts';
import { printPages } from './print-pages.ts';

requireKind('engines');

/** Programs of poppler, as anyone uses them to read a receipt. */
const run = async (program: string, ...input: readonly string[]) => (await promisify(execFile)(program, input)).stdout;
const attachments = ['receipt.json', '01-submission.accepted.tlog-proof'].map((name) => ({
  name,
  type: 'text/plain',
  description: name,
  content: Buffer.from(`content of ${name}`),
}));
let folder: string;
let pdf: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waybill-receipt-'));
  pdf = join(folder, 'receipt.pdf');
  const files = toFiles('Договор.pdf', '契約書.pdf', 'عقد.pdf', 'Ärende.pdf');
  const pages = receiptPages(createTranslators({ fallback: 'en' }).for('en', 'UTC'), plainOperator, {
    events: [...beginDelivery(files), ...handOver(14, files)],
    issuedAt: new Date('2026-11-18T10:00:00.000Z'),
    log: { origin: 'files.example.org/log/1', size: 7 },
    publicUrl: 'https://files.example.org',
  });
  await writeFile(pdf, await printPages(pages, attachments));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('pdfdetach extracts the attachments, byte by byte', async () => {
  const target = join(folder, 'attachments');
  await run('mkdir', target);
  await run('pdfdetach', '-saveall', '-o', target, pdf);
  expect((await readdir(target)).toSorted()).toEqual(attachments.map(({ name }) => name).toSorted());
  for (const { name, content } of attachments) expect(await readFile(join(target, name))).toEqual(content);
});

test('pdftotext reads names of several scripts, and every font is embedded', async () => {
  const text = (await run('pdftotext', pdf, '-')).replace(/[\u202A-\u202E]/g, '');
  for (const name of ['Договор.pdf', '契約書.pdf', 'عقد', 'Ärende.pdf']) expect(text).toContain(name);
  const [, , ...fonts] = (await run('pdffonts', pdf)).trim().split('\n');
  expect(fonts.length).toBeGreaterThan(2);
  for (const font of fonts) expect(font).toMatch(/ yes yes yes /);
});

test('pdfinfo finds a title, a language and a structure', async () => {
  const about = await run('pdfinfo', pdf);
  expect(about).toMatch(/^Title: +Receipt of delivery WB-7F3K-29QD$/m);
  expect(about).toMatch(/^Tagged: +yes$/m);
  expect(about).toMatch(/^Page size: .*A4/m);
});
