import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { drop, ids, type Replies, startExampleServer } from '../../testing/example-server.ts';
import { fakeTerminal } from '../../testing/fake-terminal.ts';
import { refuse } from '../../testing/wire-server.ts';
import { run } from '../run.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'client-receipt-'));
});
afterEach(() => rmSync(home, { recursive: true }));

async function runReceipt(words: readonly string[], more: Replies = {}) {
  await using server = await startExampleServer(more);
  const account = { WAYBILL_URL: server.baseUrl, WAYBILL_USER: 'alpha@machines.test', WAYBILL_API_KEY: 'wb_key' };
  const terminal = fakeTerminal(home, account);
  const exit = await run(terminal, ['receipt', ...words], new AbortController().signal, '1');
  const asked = server.paths().filter((path) => path.includes('receipt.'));
  return { exit, asked, printed: terminal.output.text, errors: terminal.errors.text };
}

const path = (name: string) => join(home, name);

test('stores the receipt of a receiver, as a document in a language or as the proofs alone', async () => {
  const anna = [drop.reference, '--receiver', 'Anna@example.com'];
  const stored = await runReceipt([...anna, '--language', 'sv', '--output', path('r.pdf')]);
  expect(stored).toMatchObject({
    exit: 0,
    asked: [`GET drops/${ids.drop}/receivers/0/receipt.pdf?language=sv`],
    printed: `Stored the receipt of anna@example.com for ${drop.reference} in ${path('r.pdf')}.\n`,
  });
  expect(readFileSync(path('r.pdf'), 'utf8')).toBe('%PDF-1.7');
  const json = await runReceipt([...anna, '--format', 'json', '--output', path('r.json'), '--json']);
  expect(JSON.parse(json.printed)).toEqual({
    status: 'stored',
    reference: drop.reference,
    receiver: 'anna@example.com',
    path: path('r.json'),
  });
  expect(JSON.parse(readFileSync(path('r.json'), 'utf8'))).toEqual({ type: 'waybill-receipt@v1' });
});

test('replaces a file only if that is wanted', async () => {
  const words = [drop.reference, '--receiver', 'anna@example.com', '--output', path('r.pdf')];
  expect(await runReceipt(words)).toMatchObject({ exit: 0 });
  expect(await runReceipt(words)).toMatchObject({ exit: 1, asked: [], errors: expect.stringContaining('r.pdf') });
  expect(await runReceipt([...words, '--overwrite'])).toMatchObject({ exit: 0 });
  expect(readdirSync(home)).toEqual(['r.pdf']);
});

test('asks for a receiver if there are several, and names the command that lists them', async () => {
  const nobody = await runReceipt([drop.reference]);
  expect(nobody).toMatchObject({ exit: 2, asked: [], errors: expect.stringContaining('--receiver') });
  const stranger = await runReceipt([drop.reference, '--receiver', 'x@example.com']);
  expect(stranger).toMatchObject({
    exit: 4,
    asked: [],
    errors: expect.stringContaining(`waybill show ${drop.reference}`),
  });
});

test('finds the receipts of what is in the history no more, by its reference or id', async () => {
  const gone = (response: Parameters<typeof refuse>[0]) => refuse(response, 404, 'not_found');
  const kept = { type: 'drop', id: ids.drop, name: null };
  const purged: Replies = {
    'GET drops': { data: [], next_cursor: null },
    'GET requests': { data: [], next_cursor: null },
    'GET drops/ID': gone,
    'GET requests/ID': gone,
    'GET receipts': {
      data: [
        { ...kept, receiver: 0, email: 'anna@example.com' },
        { ...kept, receiver: 1, email: 'bo@example.com' },
      ],
      next_cursor: null,
    },
  };
  for (const name of [drop.reference.toLowerCase(), ids.drop]) {
    const words = [name, '--receiver', 'Anna@example.com', '--output', path('r.pdf'), '--overwrite'];
    expect(await runReceipt(words, purged)).toMatchObject({
      exit: 0,
      asked: [`GET drops/${ids.drop}/receivers/0/receipt.pdf`],
      printed: expect.stringContaining('Stored the receipt of anna@example.com for '),
    });
  }
  expect(await runReceipt([drop.reference], purged)).toMatchObject({
    exit: 2,
    errors: expect.stringContaining('anna@example.com, bo@example.com'),
  });
  const nothing = { ...purged, 'GET receipts': { data: [], next_cursor: null } };
  expect(await runReceipt([drop.reference], nothing)).toMatchObject({ exit: 4, asked: [] });
  expect(await runReceipt(['order-4711'], purged)).toMatchObject({ exit: 4, asked: [] });
});

test('leaves nothing behind if the receipt cannot be made', async () => {
  const erased = (response: Parameters<typeof refuse>[0]) => refuse(response, 410, 'receipt_unavailable');
  const words = [drop.reference, '--receiver', 'anna@example.com', '--output', path('r.pdf')];
  const { exit, errors } = await runReceipt(words, { 'GET drops/ID/receivers/0/receipt.pdf': erased });
  expect({ isFailed: exit > 0, errors }).toMatchObject({
    isFailed: true,
    errors: expect.stringContaining('This is receipt_unavailable.'),
  });
  expect(readdirSync(home)).toEqual([]);
});
