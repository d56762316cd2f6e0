// What a person needs next, and has just done, is in the window and not behind the bar of the main action.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from '../shared/browser.ts';
import { pictures } from './render.ts';
import { createStage, sixtyNames } from './stage.ts';

const root = fileURLToPath(new URL('../../server', import.meta.url));
let assets: string;
let browser: Browser;
let stage: Server;
let origin: string;

beforeAll(async () => {
  assets = mkdtempSync(join(tmpdir(), 'waybill-in-view-'));
  const [launched] = await Promise.all([
    launchBrowser(),
    build({ root, configFile: join(root, 'vite.config.ts'), logLevel: 'error', build: { outDir: assets } }),
  ]);
  browser = launched;
  const manifest = JSON.parse(readFileSync(join(assets, 'manifest.json'), 'utf8')) as Record<string, { file: string }>;
  const pages = pictures('en', (source) => `/assets/${manifest[source]?.file}`, false);
  stage = createStage(assets, new Map(pages.map(({ name, html }) => [name, { html, mail: false }])));
  await new Promise<void>((resolve) => {
    stage.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(stage.address() as AddressInfo).port}`;
}, 120_000);
afterAll(async () => {
  await browser.close();
  stage.closeAllConnections();
  stage.close();
  rmSync(assets, { recursive: true, force: true });
});

const screens = [
  { what: 'a phone', viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  { what: 'a small phone', viewport: { width: 320, height: 568 }, colorScheme: 'dark' },
  { what: 'a desktop', viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
] as const;

describe.each(screens)('on $what', ({ viewport, colorScheme }) => {
  const open = async (name: string, act: (page: Page) => Promise<void>) => {
    const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce', locale: 'en-GB' });
    try {
      const page = await context.newPage();
      await page.goto(`${origin}/${name}`);
      await act(page);
    } finally {
      await context.close();
    }
  };
  const choose = async (page: Page, names: readonly string[], size: number) => {
    await page.getByRole('button', { name: 'Choose files' }).waitFor();
    const files = names.map((name) => ({ name, mimeType: 'image/jpeg', buffer: Buffer.alloc(size, 1) }));
    await page.locator('input[type=file]').first().setInputFiles(files);
    await page.locator('.upload').first().waitFor();
  };

  test('60 files can be downloaded at once wherever the page is scrolled to, and their names be read', () =>
    open('download-sixty', async (page) => {
      const all = page.getByRole('link', { name: 'Download all' });
      expect(await all.count()).toBe(1);
      for (const part of [0, 0.5, 1]) {
        await scrollToPart(page, part);
        await expectInView(all, `at ${part}`);
      }
      const name = page.locator('.file-own-name', { hasText: 'Inspection report 2291, north wing.pdf' });
      await name.scrollIntoViewIfNeeded();
      await expectInView(name, 'a name');
      expect(await name.evaluate((element) => element.scrollHeight <= element.clientHeight + 1)).toBe(true);
    }));

  test('the only file has the main action', () =>
    open('download-one', async (page) => {
      await expectInView(page.locator('.bar').getByRole('link', { name: 'Download' }), 'the action');
    }));

  test('it is seen that all files were downloaded', () =>
    open('download-done', async (page) => {
      await expectInView(page.getByRole('heading', { name: 'You have downloaded all 3 files' }), 'the heading');
      await expectInView(page.getByRole('link', { name: 'Download again' }), 'the action');
    }));

  test('60 files that were chosen are in view, with the button that sends them', () =>
    open('upload-island-sixty', async (page) => {
      await choose(page, sixtyNames, 1000);
      const send = page.getByRole('button', { name: 'Send 60 files' });
      await send.waitFor();
      expect(await page.locator('.button-main').count()).toBe(1);
      await expectInView(send, 'the action');
      await expectInView(page.locator('.upload').first(), 'the first file');
      for (const part of [1, 0.5, 0]) {
        await scrollToPart(page, part);
        await expectInView(send, `at ${part}`);
      }
    }));

  test('a file that cannot be sent is in view with the reason, and nothing suggests that it can', () =>
    open('upload-island-too-large', async (page) => {
      await choose(page, ['Walkthrough of the site.mp4'], 2_140_000);
      const why = page.getByText('Too large: this server accepts files up to 1 MB.');
      await expectInView(why, 'the reason');
      expect(await page.getByRole('button', { name: /^Send/ }).count()).toBe(0);
      expect(await page.locator('main').innerText()).not.toContain('You can send now');
      await expectInView(page.getByRole('button', { name: 'Choose files' }), 'the action');
      // Files that can be sent do not push it away.
      const more = sixtyNames.slice(0, 30).map((name) => ({ name, mimeType: 'image/jpeg', buffer: Buffer.alloc(9) }));
      await page.locator('input[type=file]').first().setInputFiles(more);
      await expectInView(page.getByRole('button', { name: 'Send 30 files' }), 'the other action');
      const [stopped, first] = await Promise.all([
        why.boundingBox(),
        page.locator('.upload-form .files').nth(1).boundingBox(),
      ]);
      expect(stopped?.y).toBeLessThan(first?.y ?? 0);
    }));

  test('a lost connection is said in view', () =>
    open('upload-island-sixty', async (page) => {
      await choose(page, sixtyNames.slice(0, 5), 1000);
      await page.context().setOffline(true);
      await expectInView(page.locator('.bar', { hasText: 'Waiting for the connection' }), 'the bar');
      await expectInView(page.locator('#connection', { hasText: 'You’re offline. Nothing is lost' }), 'the message');
    }));

  test('it is seen that files were sent', () =>
    open('upload-island-sixty', async (page) => {
      await choose(page, sixtyNames.slice(0, 2), 1000);
      await page.getByRole('button', { name: 'Send 2 files' }).click();
      await page.locator('.postmark').waitFor();
      await expectInView(page.getByRole('heading', { name: /^Your \d+ files have been sent/ }), 'the heading');
      await expectInView(page.locator('.postmark'), 'the postmark');
    }));
});

function scrollToPart(page: Page, part: number): Promise<void> {
  return page.evaluate((at) => scrollTo(0, (document.body.scrollHeight - innerHeight) * at), part);
}

/** Expects an element to be inside the window and, in its middle, not covered by another. */
async function expectInView(element: Locator, what: string): Promise<void> {
  await element.waitFor();
  const seen = await element.evaluate((found) => {
    const { left, right, top, bottom } = found.getBoundingClientRect();
    const isInside = left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
    const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    const isCovered = hit !== null && hit.closest('.bar') !== null && found.closest('.bar') === null;
    return { isInside, isCovered };
  });
  expect([what, seen]).toEqual([what, { isInside: true, isCovered: false }]);
}
