import { verifyReceipt } from '@waybill/evidence';
import { describe, expect, test } from 'vitest';
import { beginDelivery, handOver, makeTestReceipt, type Told, toFiles } from '../../../test/receipts.ts';
import { type ReceiptPages } from '../../domain/ports/receipt-printer.ts';
import { receiptPages } from '../../present/receipt/receipt-pages.ts';
import { createTranslators } from '../../present/texts/translator.ts';
import { printPages } from './print-pages.ts';
import { createReceiptPrinter } from './print-receipt.ts';

const translators = createTranslators({ fallback: 'en' });
const files = toFiles('contract.pdf', 'annex.pdf');
const story = [...beginDelivery(files), ...handOver(14, files)];

function write(events: readonly Told[]): ReceiptPages {
  return receiptPages(
    translators.for('en', 'UTC'),
    { name: 'Example AB', color: '#7a1f5c' },
    {
      events,
      issuedAt: new Date('2026-11-18T10:00:00.000Z'),
      log: { origin: 'files.example.org/log/1', size: 6 },
      publicUrl: 'https://files.example.org',
    },
  );
}
const attach = (content: Uint8Array) => [
  { name: 'receipt.json', type: 'application/json', description: 'The receipt', content },
];

describe('a printed receipt', () => {
  test('verifies, and no longer does when a byte of its attachment is changed', async () => {
    const { json, policy } = await makeTestReceipt(story);
    const pdf = await printPages(write(story), attach(json));
    expect(await verifyReceipt(pdf, policy)).toMatchObject({ isValid: true });
    const forged = Buffer.from(Buffer.from(json).toString().replace('orders@example.org', 'others@example.org'));
    expect(await verifyReceipt(await printPages(write(story), attach(forged)), policy)).toMatchObject({
      isValid: false,
      problems: [{ code: 'bad_proof' }],
    });
  });

  test('has the same bytes for the same input', async () => {
    const content = Buffer.from('{}');
    expect(await printPages(write(story), attach(content))).toEqual(await printPages(write(story), attach(content)));
  });

  test('says its title and language, and is tagged for screen readers', async () => {
    const pdf = (await printPages(write(story), [])).toString('latin1');
    const marks = ['>Receipt of delivery WB-7F3K-29QD<', '/Lang (en-GB)', '/MarkInfo'];
    expect(marks.filter((mark) => !pdf.includes(mark))).toEqual([]);
  });

  test('takes names of any script and length', async () => {
    const names = [
      'Договор.pdf',
      '契約書.pdf',
      'عقد الإيجار.pdf',
      'חוזה.pdf',
      '계약서.pdf',
      '🙂.txt',
      'x'.repeat(255),
      '\u0300',
    ];
    const odd = toFiles(...names);
    const pages = write([...beginDelivery(odd), ...handOver(14, odd)]);
    await expect(printPages(pages, [])).resolves.toBeInstanceOf(Buffer);
  });
});

describe('the thread that prints', () => {
  const receipt = { events: story, issuedAt: new Date(), log: { origin: 'files.example.org/log/1', size: 6 } };

  test('leaves this one free', async () => {
    const printer = createReceiptPrinter(() => write(story));
    let turns = 0;
    let isPrinting = true;
    const count = () => {
      turns += 1;
      if (isPrinting) setImmediate(count);
    };
    setImmediate(count);
    const pdf = await printer.print(['en'], receipt, attach(Buffer.from('{}')));
    isPrinting = false;
    expect(pdf).toEqual(await printPages(write(story), attach(Buffer.from('{}'))));
    expect(turns).toBeGreaterThan(100);
  });

  test('fails for one receipt, and prints the next', async () => {
    const printer = createReceiptPrinter(() => write(story));
    const broken = printer.print(['en'], receipt, [{ name: 'receipt.json', content: null } as never]);
    const whole = printer.print(['en'], receipt, []);
    await expect(broken).rejects.toThrow();
    expect((await whole).subarray(0, 5).toString()).toBe('%PDF-');
  });
});
