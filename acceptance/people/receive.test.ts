import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import type { Client } from '../lib/http/client.ts';
import { desktop, launchBrowser, phone, visit } from '../lib/people/browser.ts';
import { end, readReceiverState, type Sent, sendFiles } from '../lib/people/receiver.ts';
import { demo } from '../lib/servers/running-demo.ts';

const run = promisify(execFile);
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const files = [
  { name: 'report.pdf', content: randomBytes(300_000) },
  { name: 'Räksmörgås 日本.txt', content: Buffer.from('smörgås') },
  { name: 'empty.bin', content: Buffer.alloc(0) },
];

let browser: Browser;
let client: Client;
let folder: string;
beforeAll(async () => {
  [browser, client] = await Promise.all([launchBrowser(), freshClient('sender')]);
  folder = mkdtempSync(join(tmpdir(), 'waybill-people-'));
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

/** As a mail program shows it: the mail's own HTML, and a click that comes from another site. */
async function followFromMail(page: Page, { mail, link }: Sent): Promise<void> {
  await page.setContent(mail.email.html ?? '');
  await page.locator(`a[href="${link}"]`).first().click();
  await page.waitForURL(link);
}

async function downloaded(page: Page, act: () => Promise<void>): Promise<{ name: string; path: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  const path = join(folder, randomBytes(8).toString('hex'));
  await download.saveAs(path);
  return { name: download.suggestedFilename(), path };
}

async function unzipped(zip: string): Promise<Record<string, string>> {
  const target = mkdtempSync(join(folder, 'zip-'));
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  await run('unzip', ['-q', '-t', zip], { env });
  await run('unzip', ['-q', zip, '-d', target], { env });
  return Object.fromEntries(files.map(({ name }) => [name, sha256(readFileSync(join(target, name)))]));
}

describe.each([
  { what: 'on a desktop', viewport: desktop, javaScriptEnabled: true },
  { what: 'on a phone', viewport: phone, javaScriptEnabled: true },
  { what: 'on a desktop without JavaScript', viewport: desktop, javaScriptEnabled: false },
  { what: 'on a phone without JavaScript', viewport: phone, javaScriptEnabled: false },
])('a receiver $what', ({ viewport, javaScriptEnabled }) => {
  test('gets from the mail to every file, byte for byte', async () => {
    const sent = await sendFiles(client, files, {}, { ddmessage: `Hello ${randomBytes(4).toString('hex')}` });
    await using visitor = await visit(browser, { viewport, javaScriptEnabled });
    const { page } = visitor;
    await followFromMail(page, sent);
    expect(await readReceiverState(sent)).toEqual({ opened: false, complete: false, deliveries: 0 });
    await page.getByRole('button').click();
    await page.waitForURL('**/download/*/');
    expect(page.url()).not.toContain(sent.link.split('/').at(-1));
    expect(await readReceiverState(sent)).toMatchObject({ opened: true });

    for (const { name, content } of files) {
      const row = page.locator('.file', { hasText: name });
      const file = await downloaded(page, () => row.getByRole('link').click());
      expect([file.name, sha256(readFileSync(file.path))]).toEqual([name, sha256(content)]);
    }
    await expect.poll(() => readReceiverState(sent)).toEqual({ opened: true, complete: true, deliveries: 3 });
    // Without a script, the page says it when it is loaded again.
    if (javaScriptEnabled) await expect.poll(() => page.locator('.file .done:visible').count()).toBe(3);

    const zip = await downloaded(page, () => page.locator('a[href="all.zip"]').click());
    expect(zip.name.replace(/ \d{4}-\d\d-\d\d WB-\w{4}-\w{4}\.zip$/, '')).toBe(client.user.replace('@', '-'));
    expect(await unzipped(zip.path)).toEqual(
      Object.fromEntries(files.map((file) => [file.name, sha256(file.content)])),
    );
    await page.reload();
    expect(await page.locator('.file .done:visible').count()).toBe(3);
    await page.locator('.verify summary').first().click();
    expect(await page.locator('.verify code').allTextContents()).toEqual([
      ...files.toSorted((one, other) => one.name.localeCompare(other.name)).map(({ content }) => sha256(content)),
      'sha256sum -c SHA256SUMS',
    ]);
    expect(await page.locator('button[data-copy]:visible').count()).toBe(javaScriptEnabled ? 3 : 0);
    expect(visitor.complaints).toEqual([]);
  });
});

test('all at once counts as every file', async () => {
  const sent = await sendFiles(client, files);
  await using visitor = await visit(browser);
  const { page } = visitor;
  await page.goto(sent.link);
  await page.getByRole('button').click();
  await page.waitForURL('**/download/*/');
  await downloaded(page, () => page.locator('a[href="all.zip"]').click());
  await expect.poll(() => readReceiverState(sent)).toEqual({ opened: true, complete: true, deliveries: 3 });
});

test('a receiver with a keyboard only opens the link and gets a file', async () => {
  const sent = await sendFiles(client, files.slice(0, 1));
  await using visitor = await visit(browser);
  const { page } = visitor;
  const focusOn = async (selector: string) => {
    for (let presses = 0; presses < 20; presses += 1) {
      await page.keyboard.press('Tab');
      if (await page.locator(`${selector}:focus`).count()) return;
    }
    throw new Error(`${selector} is out of the keyboard's reach`);
  };
  await page.goto(sent.link);
  await focusOn('form button');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/download/*/');
  await focusOn('.file a');
  const file = await downloaded(page, () => page.keyboard.press('Enter'));
  expect(readFileSync(file.path).equals(files[0]?.content as Buffer)).toBe(true);
});

test('one browser holds several links open, and one link several browsers', async () => {
  const [one, other] = [
    await sendFiles(client, [{ name: 'one.txt', content: '1' }]),
    await sendFiles(client, [{ name: 'other.txt', content: '2' }]),
  ];
  await using visitor = await visit(browser);
  await using elsewhere = await visit(browser);
  const open = async (page: Page, { link }: Sent) => {
    await page.goto(link);
    await page.getByRole('button').click();
    await page.waitForURL('**/download/*/');
    return page.url();
  };
  const first = await open(visitor.page, one);
  const second = await open(visitor.page, other);
  for (const [url, name] of [
    [first, 'one.txt'],
    [second, 'other.txt'],
  ] as const) {
    await visitor.page.goto(url);
    expect(await visitor.page.locator('.file-name').allTextContents()).toEqual([name]);
  }
  // The address alone opens nothing: it can be forwarded without giving anything away.
  expect((await elsewhere.page.goto(first))?.status()).toBe(404);
  expect(await open(elsewhere.page, one)).not.toBe(first);
});

test('a receiver reads in their own language, and may choose another', async () => {
  const sent = await sendFiles(client, files.slice(0, 1), { language: 'sv-SE' });
  await using visitor = await visit(browser);
  const { page } = visitor;
  const language = () => page.locator('html').getAttribute('lang');
  await page.goto(sent.link);
  expect(await language()).toBe('sv');
  await page.getByRole('link', { name: 'Français' }).click();
  expect(await language()).toBe('fr');
  await page.getByRole('button').click();
  await page.waitForURL('**/download/*/?lang=fr');
  expect(await language()).toBe('fr');
});

test('a link past its deadline says so, also where it was open', async () => {
  const sent = await sendFiles(client, files.slice(0, 1));
  await using visitor = await visit(browser);
  const { page } = visitor;
  await page.goto(sent.link);
  await page.getByRole('button').click();
  await page.waitForURL('**/download/*/');
  await end(sent);
  expect((await page.reload())?.status()).toBe(410);
  expect((await page.goto(sent.link))?.status()).toBe(410);
  expect((await page.goto(`${demo().base_url}/d/${'A'.repeat(43)}`))?.status()).toBe(404);
});

test('a download that begins before the page’s script is loaded is shown too', async () => {
  const sent = await sendFiles(client, files.slice(0, 1));
  await using visitor = await visit(browser, { viewport: desktop });
  const { page } = visitor;
  const loading = Promise.withResolvers<void>();
  await page.route(/\/assets\/download[^/]*\.js$/, async (route) => {
    await loading.promise;
    await route.continue();
  });
  await page.goto(sent.link);
  await page.getByRole('button').click();
  await page.waitForURL('**/download/*/', { waitUntil: 'commit' });
  await downloaded(page, () => page.locator('.file a[download]').click());
  loading.resolve();
  await expect.poll(() => page.locator('.file .done:visible').count(), { timeout: 15_000 }).toBe(1);
});
