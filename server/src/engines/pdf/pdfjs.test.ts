// The viewer of Firefox, and of many pages.
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { expect, test } from 'vitest';
import { plainOperator } from '../../../test/plain-operator.ts';
import { beginDelivery, handOver, listReceiptStates, makeTestReceipt, toFiles } from '../../../test/receipts.ts';
import { receiptPages } from '../../present/receipt/receipt-pages.ts';
import { createTranslators } from '../../present/texts/translator.ts';
import { printPages } from './print-pages.ts';

const translators = createTranslators({ fallback: 'en' });

test.each(Object.entries(listReceiptStates()))('pdf.js opens a receipt: %s', async (_, events) => {
  const pages = receiptPages(translators.for('en', 'UTC'), plainOperator, {
    events,
    issuedAt: new Date('2026-11-18T10:00:00.000Z'),
    log: { origin: 'files.example.org/log/1', size: 7, witnesses: [] },
    publicUrl: 'https://files.example.org',
  });
  const { json } = await makeTestReceipt(events);
  const attachments = [
    { name: 'receipt.json', type: 'application/json', description: 'The receipt', content: json },
    { name: '01-submission.accepted.tlog-proof', type: 'text/plain', description: 'x', content: Buffer.from('proof') },
  ];
  const task = getDocument({ data: new Uint8Array(await printPages(pages, attachments)), verbosity: 0 });
  const document = await task.promise;
  const texts: string[] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    const { items } = await (await document.getPage(number)).getTextContent();
    texts.push(items.map((item) => ('str' in item ? item.str : '')).join(' '));
  }
  const text = texts.join(' ').replaceAll(/\s+/g, ' ');
  for (const shown of [pages.title, pages.reference, pages.result.text, ...pages.story.steps.map((step) => step.text)])
    expect(text).toContain(shown);
  const found = Object.values<{ filename: string; content: Uint8Array }>(await document.getAttachments());
  expect(new Map(found.map(({ filename, content }) => [filename, Buffer.from(content)]))).toEqual(
    new Map(attachments.map(({ name, content }) => [name, Buffer.from(content)])),
  );
  await task.destroy();
});

test('no sheet of a receipt has only a line or two', { timeout: 60_000 }, async () => {
  const counts: Record<string, number[]> = {};
  for (const count of [1, 3, 5, 7, 9, 11]) {
    const files = toFiles(...Array.from({ length: count }, (_, index) => `contract-${index}.pdf`));
    const pages = receiptPages(translators.for('en', 'UTC'), plainOperator, {
      events: [...beginDelivery(files), ...handOver(14, files)],
      issuedAt: new Date('2026-11-18T10:00:00.000Z'),
      log: { origin: 'files.example.org/log/1', size: 7, witnesses: [] },
      publicUrl: 'https://files.example.org',
    });
    const task = getDocument({ data: new Uint8Array(await printPages(pages, [])), verbosity: 0 });
    const document = await task.promise;
    const lines: number[] = [];
    for (let number = 1; number <= document.numPages; number += 1) {
      const { items } = await (await document.getPage(number)).getTextContent();
      const heights = items.flatMap((item) =>
        'str' in item && item.str.trim() !== '' ? [Math.round(item.transform[5] as number)] : [],
      );
      // The foot is a line of its own.
      lines.push(new Set(heights).size - 1);
    }
    await task.destroy();
    counts[count] = lines;
  }
  expect(Math.min(...Object.values(counts).flat()), JSON.stringify(counts)).toBeGreaterThan(4);
});
