import { appendFileSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openPendingSend, type SendParameters } from './pending-sends.ts';

let folder: string;
let words: SendParameters;
const now = Date.now();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'client-pending-'));
  const path = join(folder, 'report.csv');
  writeFileSync(path, 'a');
  words = {
    url: 'https://files.example.org',
    user: 'a@example.org',
    files: [{ path, name: 'report.csv' }],
    delivery: { to: ['b@example.org'], message: 'x', days: 1, mail: true },
  };
});
afterEach(() => rmSync(folder, { recursive: true }));

const sends = () => join(folder, 'sends');

test('the same command after a crash is the same send, after a success a new one', async () => {
  const first = await openPendingSend(sends(), words, now);
  first.recordStart();
  const second = await openPendingSend(
    sends(),
    { ...words, delivery: { ...words.delivery, to: [...words.delivery.to] } },
    now,
  );
  expect([first.resumed, second.resumed]).toEqual([false, true]);
  expect(second.idempotencyKey).toBe(first.idempotencyKey);
  await second.delete();
  const third = await openPendingSend(sends(), words, now);
  expect(third.resumed).toBe(false);
  expect(third.idempotencyKey).not.toBe(first.idempotencyKey);
});

test('a run that uploaded nothing is not resumed, although it keeps its key', async () => {
  const first = await openPendingSend(sends(), words, now);
  const second = await openPendingSend(sends(), words, now);
  expect(second).toMatchObject({ resumed: false, idempotencyKey: first.idempotencyKey });
});

test('a run that goes on after another has finished leaves no record', async () => {
  const { uploadStore, recordStart, delete: finish } = await openPendingSend(sends(), words, now);
  await finish();
  recordStart();
  await uploadStore.save({ path: 'report.csv', id: 'u1', size: 1, scan: 'clean', unscannedReason: null });
  expect(readdirSync(sends())).toEqual([]);
});

test('other arguments, or a changed file, are another send', async () => {
  const { idempotencyKey } = await openPendingSend(sends(), words, now);
  const deliveries = [
    { message: 'y' },
    { days: 2 },
    { to: ['c@example.org'] },
    { mail: false },
    { key: 'k' },
    { secondFactor: 'mail' as const },
    { language: 'sv' },
    { externalId: 'order-1' },
  ].map((other) => ({ delivery: { ...words.delivery, ...other } }));
  for (const other of [...deliveries, { user: 'c@example.org' }, { url: 'https://x' }]) {
    expect((await openPendingSend(sends(), { ...words, ...other }, now)).idempotencyKey).not.toBe(idempotencyKey);
  }
  writeFileSync(join(folder, 'report.csv'), 'changed');
  expect((await openPendingSend(sends(), words, now)).idempotencyKey).not.toBe(idempotencyKey);
});

test('a key that the server may have purged is not used again', async () => {
  const { idempotencyKey } = await openPendingSend(sends(), words, now);
  const [name = ''] = readdirSync(sends());
  const weekAgo = (now - 7 * 24 * 3600 * 1000) / 1000;
  utimesSync(join(sends(), name), weekAgo, weekAgo);
  const later = await openPendingSend(sends(), words, now);
  expect(later.resumed).toBe(false);
  expect(later.idempotencyKey).not.toBe(idempotencyKey);
});

test('the next run knows finished uploads, but ignores a truncated line', async () => {
  const { uploadStore } = await openPendingSend(sends(), words, now);
  const file = { path: 'report.csv', id: 'u1', size: 1, scan: 'clean' as const, unscannedReason: null };
  await uploadStore.save(file);
  const [name = ''] = readdirSync(sends());
  appendFileSync(join(sends(), name), '{"path":"b.csv","id":"u');
  const next = await openPendingSend(sends(), words, now);
  expect(next.uploadStore.get('report.csv')).toEqual(file);
  expect(next.uploadStore.get('b.csv')).toBeUndefined();
});

test('a send with a key keeps its key', async () => {
  const first = await openPendingSend(sends(), { ...words, delivery: { ...words.delivery, key: 'nightly' } }, now);
  expect(first.idempotencyKey).toBe('nightly');
});
