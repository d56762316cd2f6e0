import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBarriers } from '../../tools/shared/accessibility.ts';
import { freshClient } from '../lib/accounts.ts';
import type { Client } from '../lib/http/client.ts';
import { launchBrowser, phone, visit } from '../lib/people/browser.ts';
import { openPage, requestFiles } from '../lib/people/contact.ts';
import { measureLoad } from '../lib/people/measure-load.ts';
import { end, type Sent, sendFiles } from '../lib/people/receiver.ts';
import { adminJson } from '../lib/servers/admin.ts';
import { demo } from '../lib/servers/running-demo.ts';

let browser: Browser;
let client: Client;
let live: Sent;
let over: Sent;
let sentRequest: Sent;
let guarded: Sent;
const long = `${'a-very-long-name-without-any-place-to-break-it-'.repeat(4)}.pdf`;
beforeAll(async () => {
  [browser, client] = await Promise.all([launchBrowser(), freshClient('sender')]);
  const files = [
    { name: long, content: 'long' },
    { name: 'b.txt', content: 'b' },
  ];
  live = await sendFiles(
    client,
    files,
    {},
    { ddmessage: `Word ${'W'.repeat(300)}\n\nhttps://example.org/${'x'.repeat(200)}` },
  );
  sentRequest = await requestFiles(client, {}, { ddmessage: longMessage });
  const careful = await freshClient('careful');
  await adminJson(['accounts', 'set', '--email', careful.user, '--second-factor', 'mail', '--json']);
  guarded = await sendFiles(careful, files);
  over = await sendFiles(client, files.slice(1));
  await end(over);
});
afterAll(() => browser.close());

const longMessage = 'Word '.repeat(1000);
const slowly = { timeout: 30_000 };
const pages: [string, (page: Page) => Promise<unknown>][] = [
  ['the landing page', (page) => page.goto(live.link)],
  [
    'the page that asks for a word',
    async (page) => {
      await page.goto(live.link);
      await page.evaluate('document.forms[0].submit()');
      await page.getByRole('textbox').waitFor();
    },
  ],
  ['the download page', (page) => openPage(page, live.link)],
  ['the page that asks for a code', (page) => openPage(page, guarded.link)],
  ['the upload page', (page) => openPage(page, sentRequest.link)],
  [
    'the upload page with files on it',
    async (page) => {
      await openPage(page, (await requestFiles(client, {}, { ddmessage: longMessage })).link);
      await page
        .locator('input[type=file]')
        .first()
        .setInputFiles(
          [long, 'مرحبا.txt'].map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) })),
        );
      await page.locator('.upload').first().waitFor();
      // Movement because files were chosen is intended. From here on, nothing moves.
      await page.evaluate(async () => {
        for (let frames = 0; frames < 3; frames += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
        Object.assign(window, { chosenAt: performance.now() });
      });
      await expect.poll(() => page.getByText('Ready to send').count(), slowly).toBe(2);
    },
  ],
  ['an expired link', (page) => page.goto(over.link)],
  ['an unknown link', (page) => page.goto(`${demo().base_url}/d/${'A'.repeat(43)}`)],
];

describe.each(pages)('%s', (_what, show) => {
  test('is accessible and fits a small screen, light and dark', async () => {
    await using visitor = await visit(browser, { viewport: phone });
    const { page } = visitor;
    await show(page);
    expect(await findBarriers(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    const overhang = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(overhang)).toBeLessThanOrEqual(0);
    expect(await page.title()).toMatch(/\S · Waybill$/);
    expect(visitor.complaints).toEqual([]);
  });

  test('does not move while it is read, weighs little, and comes from here alone', async () => {
    await using visitor = await visit(browser, { viewport: phone });
    const { bytes, origins, shift } = await measureLoad(visitor, show);
    expect(shift).toBeLessThan(0.01);
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(60_000);
    expect(origins).toEqual(new Set([new URL(demo().base_url).origin]));
  });
});
