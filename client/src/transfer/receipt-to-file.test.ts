import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ids, startExampleServer } from '../testing/example-server.ts';
import { refuse } from '../testing/wire-server.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'client-receipt-'));
  path = join(folder, 'receipt.pdf');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('waits and asks again while the log is not ready, of drops and of requests', async () => {
  let isReady = false;
  const respond = (response: ServerResponse) => {
    if (isReady) return void response.end('%PDF-1.7 whole');
    isReady = true;
    return refuse(response, 503, 'receipt_not_ready', { headers: { 'Retry-After': '2' } });
  };
  await using server = await startExampleServer({ 'GET requests/ID/receivers/1/receipt.pdf': respond });
  await server.client().requests.receiptToFile(ids.request, 1, path);
  expect(readFileSync(path, 'utf8')).toBe('%PDF-1.7 whole');
  expect(server.sleeps).toHaveLength(1);
  await server.client().drops.receiptToFile(ids.drop, 0, join(folder, 'r.json'), { format: 'json', language: 'sv' });
  expect(server.paths().at(-1)).toBe(`GET drops/${ids.drop}/receivers/0/receipt.json`);
});

test('never leaves a part under the final name, and keeps a file that exists', async () => {
  const respond = (response: ServerResponse) => {
    response.writeHead(200, { 'Content-Length': '100' });
    response.write('%PDF-1.7 half', () => response.destroy());
  };
  await using server = await startExampleServer({ 'GET drops/ID/receivers/0/receipt.pdf': respond });
  const { drops } = server.client({ retry: { maxAttempts: 1 } });
  await expect(drops.receiptToFile(ids.drop, 0, path)).rejects.toThrow();
  expect(readdirSync(folder)).toEqual([]);
  writeFileSync(path, 'mine');
  await expect(drops.receiptToFile(ids.drop, 0, path)).rejects.toMatchObject({ code: 'target_exists' });
  expect(readFileSync(path, 'utf8')).toBe('mine');
});

test('names the file, not a temporary one, if it cannot be written', async () => {
  await using server = await startExampleServer({
    'GET drops/ID/receivers/0/receipt.pdf': (response: ServerResponse) => void response.end('%PDF-1.7 whole'),
  });
  path = join(folder, 'missing', 'receipt.pdf');
  await expect(server.client().drops.receiptToFile(ids.drop, 0, path)).rejects.toMatchObject({ code: 'ENOENT', path });
});
