// A colleague's large file, through everything that can interrupt the composer: it continues by itself, because the browser
// keeps a handle of the file, and each interruption costs at most the chunk in flight.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshClient, invitePerson } from '../lib/accounts.ts';
import { fullSize } from '../lib/full-size.ts';
import { hashResponse } from '../lib/http/stream.ts';
import { launchBrowser, visit } from '../lib/people/browser.ts';
import { inboxFrom, waitForInbox } from '../lib/people/contact.ts';
import { query } from '../lib/servers/exchange-internals.ts';
import { Line } from '../lib/servers/line.ts';
import { type OwnServe, ownServe } from '../lib/servers/own-serve.ts';
import { eventually } from '../lib/wait.ts';
import { writeKeystream } from '../sizes/keystream.ts';

const chunkBytes = 8 * 1024 ** 2;
const sizeBytes = (fullSize ? 1024 ** 3 : 48 * 1024 ** 2) + 4321;
/** Slow enough to be interrupted. */
const bytesPerSecond = (fullSize ? 32 : 8) * 1024 ** 2;
const withoutNetworkMs = fullSize ? 30_000 : 2_000;
const interruptions = 3;
/** The headers of each request. */
const headBytes = 4 * 1024;

let browser: Browser;
let folder: string;
let line: Line;
let origin: string;
let serves: OwnServe[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-interrupted-'));
  line = new Line();
  const host = await line.listen();
  origin = `http://${host}`;
  const settings = { WAYBILL_ALLOWED_HOSTS: host };
  [browser, ...serves] = await Promise.all([launchBrowser(), ownServe(settings), ownServe(settings)]);
  line.leadTo(...serves);
});
afterAll(async () => {
  await browser.close();
  await line.close();
  await Promise.all(serves.map((serve) => serve.stop()));
  rmSync(folder, { recursive: true, force: true });
});

async function acceptInvitation(page: Page, user: string, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole('button', { name: 'Accept the invitation' }).click();
  await page.locator('#password').fill('seven purple lanterns over Uppsala');
  await page.getByRole('button', { name: 'Save the password' }).click();
  // The first visit begins with the welcome.
  await page.waitForURL(`**/${encodeURIComponent(user)}/**`);
  await page.goto(`${origin}/${encodeURIComponent(user)}/`);
  await page.locator('.composer-files').waitFor();
}

/** Drops a file as a person does, so that the browser has a handle of it. */
async function dropFile(devtools: CDPSession, path: string): Promise<void> {
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await devtools.send('Input.dispatchDragEvent', { type, x: 20, y: 20, data });
  }
}

async function limitSpeed(devtools: CDPSession): Promise<void> {
  await devtools.send('Network.enable');
  const speed = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: bytesPerSecond };
  await devtools.send('Network.emulateNetworkConditions', speed);
}

async function waitForBytes(user: string, bytes: number): Promise<void> {
  await eventually(
    `${bytes} bytes arrived`,
    async () => {
      const [row] = await query<{ bytes: string }>(
        `select coalesce(max(received_bytes), 0) as bytes from uploads
           join accounts on accounts.id = uploads.account_id where accounts.email = $1`,
        [user],
      );
      return Number(row?.bytes) >= bytes || undefined;
    },
    { withinMs: 300_000 },
  );
}

test(`${fullSize ? '1 GiB' : 'a large file'}, with Send pressed at once, is sent through a reload, a time without network and kill -9 of the server`, {
  timeout: 900_000,
}, async () => {
  const path = join(folder, 'large.bin');
  const digest = writeKeystream(path, sizeBytes);
  const receiver = await freshClient('receiver');
  const { user, link } = await invitePerson('Maya Lindqvist', origin);
  await using visitor = await visit(browser, {}, origin);
  const { context, page } = visitor;
  await acceptInvitation(page, user, link);
  const devtools = await context.newCDPSession(page);
  await limitSpeed(devtools);
  await dropFile(devtools, path);
  await page.getByRole('combobox', { name: 'To' }).fill(receiver.user);
  await page.keyboard.press('Enter');
  await page.locator('textarea[name=message]').fill('All of it.');
  await page.getByRole('button', { name: 'Send to 1 person' }).click();

  await waitForBytes(user, sizeBytes * 0.2);
  await page.reload();
  await waitForBytes(user, sizeBytes * 0.4);
  await context.setOffline(true);
  line.pull();
  await page.locator('#connection').waitFor();
  await pause(withoutNetworkMs);
  line.plugIn();
  await context.setOffline(false);
  await limitSpeed(devtools);
  await waitForBytes(user, sizeBytes * 0.7);
  const [holder] = serves as [OwnServe];
  await holder.kill();
  line.hasLost(holder);

  await page.waitForURL(/\/sent\//, { timeout: 300_000, waitUntil: 'commit' });
  const resent = line.sentBytes - sizeBytes;
  process.stdout.write(`sent again, with all request heads: ${(resent / 1024 ** 2).toFixed(1)} MiB\n`);
  expect(resent).toBeLessThan(interruptions * chunkBytes + (sizeBytes / chunkBytes + 100) * headBytes);
  const entry = await waitForInbox(receiver, user);
  expect(await hashResponse(receiver, `${entry.url}/files/large.bin`)).toBe(digest);
  expect(await inboxFrom(receiver, user)).toHaveLength(1);
  const drops = await query(
    'select message from drops join accounts on accounts.id = drops.account_id where accounts.email = $1',
    [user],
  );
  expect(drops).toEqual([{ message: 'All of it.' }]);
});
