import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { afterAll, expect, test } from 'vitest';
import { launchBrowser } from '../../../../tools/shared/browser.ts';
import { chunkBytes } from '../../domain/files/sealing.ts';
import { checkUpload } from '../../domain/uploads/check-upload.ts';
import { useTestExchange } from '../../testing/exchange.ts';
import { testPages } from '../../testing/pages.ts';
import { buildTestServer } from '../../testing/server.ts';
import { signInMember } from '../../testing/sign-in-member.ts';

const chunks = 5;
const sizeBytes = chunks * chunkBytes + 4321;
/** Of requests: there are about two for each chunk. */
const headBytes = 64 * 1024;
const bytesPerSecond = 6 * 1024 * 1024;
const timeout = 100_000;

const exchange = await useTestExchange();
const { engines } = exchange;
const script = Buffer.from(await buildScript());
const pages = {
  ...testPages,
  secureCookies: false,
  assets: { ...testPages.assets, files: new Map([['send.js', script]]), href: toHref },
};
const folder = mkdtempSync(join(tmpdir(), 'waybill-composer-'));
const browser = await launchBrowser();
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

function toHref(source: string): string {
  return source.endsWith('send.tsx') ? '/assets/send.js' : '/assets/none';
}

async function buildScript(): Promise<string> {
  const { output } = (await build({
    configFile: false,
    root: fileURLToPath(new URL('../../../', import.meta.url)),
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: { write: false, modulePreload: false, rollupOptions: { input: 'src/views/islands/send.tsx' } },
  })) as Rolldown.RolldownOutput;
  return output.find((file) => file.type === 'chunk')?.code ?? '';
}

/** A server that can be cut off, and counts what it is sent. */
async function serve(port: number) {
  const app = buildTestServer(exchange, {}, { pages });
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket) => sockets.add(socket));
  const address = await app.listen({ port, host: '127.0.0.1' });
  return {
    app,
    address,
    get receivedBytes() {
      return [...sockets].reduce((sum, socket) => sum + socket.bytesRead, 0);
    },
    async kill() {
      const closed = app.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Drops a file as a person does, so that the browser has a handle of it. */
async function dropFile(page: Page, path: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const speed = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: bytesPerSecond };
  await session.send('Network.emulateNetworkConditions', speed);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x: 20, y: 20, data });
  }
}

test('a dropped file, with Send pressed at once, is sent through a reload, a lost network and a killed server', {
  timeout: 2 * timeout,
}, async () => {
  const first = await serve(0);
  const member = await signInMember(exchange, first.app);
  const { accountId } = member.account;
  const content = randomBytes(sizeBytes);
  const path = join(folder, 'plan.bin');
  writeFileSync(path, content);
  const context = await browser.newContext();
  const value = member.browser.cookies.get('__Host-waybill_session') ?? '';
  await context.addCookies([{ name: 'waybill_session', value, url: first.address }]);
  const page = await context.newPage();
  await page.goto(`${first.address}${member.base}`);
  await page.locator('.composer-files').waitFor();
  await dropFile(page, path);
  await page.locator('#receiver-input').fill('kim@example.org');
  await page.locator('#receiver-input').press('Enter');
  await page.locator('[name=message]').fill('All of it.');
  await page.locator('#send-bar button[type=submit]').click();
  await expect.poll(() => page.locator('#send-bar button').count()).toBe(2);

  const arrived = (bytes: number) =>
    expect.poll(() => readReceived(accountId), { timeout }).toBeGreaterThanOrEqual(bytes);
  await arrived(chunkBytes);
  await page.reload();
  await arrived(2 * chunkBytes);
  expect(await page.locator('[name=message]').inputValue()).toBe('All of it.');
  await context.setOffline(true);
  await page.locator('#connection').waitFor();
  await context.setOffline(false);
  await arrived(3 * chunkBytes);
  await first.kill();
  const second = await serve(Number(new URL(first.address).port));
  const findUnchecked = () =>
    exchange.database.query<{ id: string }>("select id from uploads where account_id = $1 and state = 'checking'", [
      accountId,
    ]);
  await expect.poll(findUnchecked, { timeout }).toHaveLength(1);
  // Does the work of the job that starts when the last byte is stored.
  for (const { id } of await findUnchecked()) {
    await checkUpload(engines, accountId, id, new AbortController().signal);
  }
  await page.waitForURL(/\/sent\//, { timeout, waitUntil: 'commit' });

  const files = await exchange.database.query(
    'select name, sha256, drop_id is not null as sent from files where account_id = $1',
    [accountId],
  );
  expect(files).toEqual([{ name: 'plan.bin', sha256: createHash('sha256').update(content).digest(), sent: true }]);
  expect(await exchange.database.query('select message from drops where account_id = $1', [accountId])).toEqual([
    { message: 'All of it.' },
  ]);
  // Each of the three interruptions costs at most the chunk that was on its way.
  const again = first.receivedBytes + second.receivedBytes - sizeBytes;
  expect(again).toBeLessThan(3 * chunkBytes + headBytes);
  await context.close();
  await second.kill();
});

async function readReceived(accountId: string): Promise<number> {
  const [row] = await exchange.database.query<{ bytes: number }>(
    'select coalesce(max(received_bytes), 0)::float8 as bytes from uploads where account_id = $1',
    [accountId],
  );
  return row?.bytes ?? 0;
}
