// A contact's large file, through everything that can interrupt an upload: each interruption costs at most the chunk in
// flight.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import { fullSize } from '../lib/full-size.ts';
import { hashResponse } from '../lib/http/stream.ts';
import { launchBrowser, visit } from '../lib/people/browser.ts';
import { openPage, requestFiles, type SentRequest, waitForInbox } from '../lib/people/contact.ts';
import { query } from '../lib/servers/exchange-internals.ts';
import { Line } from '../lib/servers/line.ts';
import { OwnRedis } from '../lib/servers/own-engines.ts';
import { type OwnServe, ownServe } from '../lib/servers/own-serve.ts';
import { eventually } from '../lib/wait.ts';
import { writeKeystream } from '../sizes/keystream.ts';

const chunkBytes = 8 * 1024 * 1024;
const sizeBytes = (fullSize ? 1024 ** 3 : 256 * 1024 ** 2) + 4321;
/** The headers of each 8 MiB request; there are about 140 requests. */
const headBytes = 4 * 1024;
const withoutNetworkMs = 30_000;

let browser: Browser;
let folder: string;
/** Its own Redis, because a restart would lose the others' tokens. */
let redis: OwnRedis;
let line: Line;
let origin: string;
let serves: OwnServe[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-interrupted-'));
  line = new Line();
  const host = await line.listen();
  redis = await OwnRedis.start();
  origin = `http://${host}`;
  const settings = { WAYBILL_REDIS_URL: redis.url, WAYBILL_ALLOWED_HOSTS: host };
  [browser, ...serves] = await Promise.all([launchBrowser(), ownServe(settings), ownServe(settings)]);
  line.leadTo(...serves);
});
afterAll(async () => {
  await browser.close();
  await line.close();
  await Promise.all(serves.map((serve) => serve.stop()));
  await redis[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function receivedBytes({ contact }: SentRequest): Promise<number> {
  const [row] = await query<{ bytes: string }>(
    `select coalesce(max(received_bytes), 0) as bytes from uploads join links
       on draft = 'link:' || links.drop_id || ':' || links.position where links.email = $1`,
    [contact],
  );
  return Number(row?.bytes);
}

/** The values of the bar of all files, on each visit. */
async function watchTotal(context: BrowserContext): Promise<Map<Page, number[]>> {
  const totals = new Map<Page, number[]>();
  await context.exposeBinding('noteTotal', ({ page }, value: number) => {
    totals.set(page, [...(totals.get(page) ?? []), value]);
  });
  await context.addInitScript(`
    let last;
    const look = () => {
      const value = document.querySelector('.bar > progress')?.value;
      if (value !== undefined && value !== last) noteTotal((last = value));
      requestAnimationFrame(look);
    };
    look();
  `);
  return totals;
}

const arrived = (sentRequest: SentRequest, bytes: number) =>
  eventually(`${bytes} bytes arrived`, async () => ((await receivedBytes(sentRequest)) >= bytes ? true : undefined), {
    withinMs: 300_000,
  });

test(`${fullSize ? '1 GiB' : 'a large file'}, with Send pressed at once, is sent through 30 s without network, a closed tab, kill -9 of the server and a restart of Redis`, {
  timeout: 900_000,
}, async () => {
  const path = join(folder, 'large.bin');
  const digest = writeKeystream(path, sizeBytes);
  const client = await freshClient('interrupted');
  const sentRequest = await requestFiles(client);
  await using visitor = await visit(browser);
  const { context } = visitor;
  const link = `${origin}/u/${sentRequest.link.split('/').at(-1)}`;
  const totals = await watchTotal(context);
  await openPage(visitor.page, link);
  await visitor.page.locator('input[type=file]').first().setInputFiles(path);
  await visitor.page.locator('textarea').fill('All of it.');
  await visitor.page.getByRole('button', { name: 'Send 1 file' }).click();

  await arrived(sentRequest, sizeBytes * 0.15);
  await context.setOffline(true);
  line.pull();
  await pause(withoutNetworkMs);
  line.plugIn();
  await context.setOffline(false);

  await arrived(sentRequest, sizeBytes * 0.35);
  await visitor.page.close();
  // Back by the link in the mail, as if for the first time.
  const page = await context.newPage();
  await openPage(page, link);
  await page.locator('.upload', { hasText: 'large.bin' }).getByText('Interrupted').waitFor();
  expect(await page.locator('textarea').inputValue()).toBe('All of it.');
  await page.getByText('Not sent yet: this page is waiting for you.').waitFor();
  await page.locator('input[type=file]').first().setInputFiles(path);

  await arrived(sentRequest, sizeBytes * 0.55);
  const [holder] = serves as [OwnServe];
  process.kill(holder.pid, 'SIGKILL');
  await holder.ended;
  line.hasLost(holder);

  await arrived(sentRequest, sizeBytes * 0.75);
  await redis.kill();
  await redis.start();

  await page.getByRole('heading', { name: 'Your file has been sent' }).waitFor({ timeout: 300_000 });
  expect(totals.size).toBe(2);
  for (const seen of totals.values()) {
    expect(seen.length).toBeGreaterThan(10);
    expect(seen).toEqual(seen.toSorted((one, other) => one - other));
  }
  const resent = line.sentBytes - sizeBytes;
  process.stdout.write(`sent again, with all request heads: ${(resent / 1024 ** 2).toFixed(1)} MiB\n`);
  expect(resent).toBeLessThan(4 * chunkBytes + (sizeBytes / chunkBytes + 20) * headBytes);

  const entry = await waitForInbox(client, sentRequest.contact);
  expect(await hashResponse(client, `${entry.url}/files/large.bin`)).toBe(digest);
});
