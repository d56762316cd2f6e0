// The next step of a person, and their last one, are in the window and not behind the bar of the main action.
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
import { createStage, plays, sixtyNames, stuck } from './stage.ts';

const languages = ['de', 'en', 'es', 'fr', 'sv'];
/** The pages that these tests open: drawing every page in each language would take half a minute. */
const opened = [
  'download-one',
  'download-some',
  'download-sixty',
  'download-sixty-begun',
  'download-done',
  'app-delivery-large',
  'upload-island-folder',
  'upload-island-sixty',
  'upload-island-too-large',
  'upload-island-leaving-out',
  'sent',
  'settings-person',
  'app-send',
  'app-request-new',
];
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
  const draw = (language: string) =>
    pictures(
      language,
      (source) => `/assets/${manifest[source]?.file}`,
      false,
      (name) => opened.includes(name),
    );
  const pages = [
    ...draw('en'),
    ...languages.flatMap((language) => draw(language).map(({ name, html }) => ({ name: `${language}/${name}`, html }))),
  ];
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

/** Opens a page on a screen for a test. */
function openOn({ viewport, colorScheme }: (typeof screens)[number]) {
  return async (name: string, act: (page: Page) => Promise<void>) => {
    const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce', locale: 'en-GB' });
    try {
      const page = await context.newPage();
      await page.goto(`${origin}/${name}`);
      await act(page);
    } finally {
      await context.close();
    }
  };
}

async function choose(page: Page, names: readonly string[], size: number): Promise<void> {
  await page.getByRole('button', { name: 'Choose files' }).waitFor();
  const files = names.map((name) => ({ name, mimeType: 'image/jpeg', buffer: Buffer.alloc(size, 1) }));
  await page.locator('input[type=file]').first().setInputFiles(files);
  await page.locator('.upload').first().waitFor();
}

describe.each(screens)('on $what', (screen) => {
  const open = openOn(screen);

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
      const why = page.getByText('Larger than the 1 MB that this server accepts.');
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

  test('a setting that is not saved is named beside the button that saves it, until it is discarded', () =>
    open('settings-person', async (page) => {
      const bar = page.locator('#profile .save-bar');
      const unsaved = bar.getByText('Not saved yet: Name and Time zone');
      await page.getByLabel('Name', { exact: true }).fill('Maya');
      await page.getByLabel('Time zone').selectOption({ index: 0 });
      await expectInView(unsaved, 'the name of the field');
      await expectInView(bar.getByRole('button', { name: 'Save' }), 'the button');
      await bar.getByRole('button', { name: 'Discard' }).click();
      await unsaved.waitFor({ state: 'hidden' });
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Maya Lindqvist');
    }));
});

describe('on any screen', () => {
  const open = openOn(screens[0]);

  test('before files are chosen, the whole area chooses them, and there is no bar', () =>
    open('upload-island-sixty', async (page) => {
      const area = page.locator('.drop');
      await area.getByRole('button', { name: 'Choose files' }).waitFor();
      expect(await page.locator('.bar').count()).toBe(0);
      const chooser = page.waitForEvent('filechooser');
      await area.click({ position: { x: 9, y: 9 } });
      expect((await chooser).isMultiple()).toBe(true);
    }));

  test('files that are left out for good are asked about once, by keyboard too', () =>
    open('upload-island-leaving-out', async (page) => {
      await choose(page, ['a.txt', 'b.txt'], 100);
      const large = ['c.mov', 'd.mov'].map((name) => ({ name, mimeType: 'video/mp4', buffer: Buffer.alloc(2000) }));
      await page.locator('input[type=file]').first().setInputFiles(large);
      const bar = page.locator('.bar');
      await bar.getByText('2 of 4 ready').waitFor();
      await expectInView(bar.getByText('2 can’t be sent'), 'what cannot be sent');
      await expectInView(bar.getByText('You can send only once.'), 'the caution');
      expect(await page.locator('main').innerText()).not.toContain('Everything is uploaded');
      const send = page.getByRole('button', { name: 'Send 2 files' });
      const question = page.getByRole('dialog', { name: 'Send without 2 files?' });
      await send.press('Enter');
      await question.getByRole('button', { name: 'Go back' }).press('Enter');
      await question.waitFor({ state: 'hidden' });
      expect(await page.locator('.upload').count()).toBe(4);
      await send.press('Enter');
      await question.getByRole('button', { name: 'Send without them' }).press('Enter');
      await page.locator('.postmark').waitFor();
    }));

  test('files that are ready are in their folders, and a folder is removed as a whole', () =>
    open('upload-island-folder', async (page) => {
      const [[, choose120] = []] = plays['upload-island-folder'] ?? [];
      await choose120?.(page);
      await page.locator('.folded > summary').press('Enter');
      await page.locator('.folded .folder').first().waitFor();
      expect(await page.locator('.folded .folder .upload').count(), 'nothing is drawn before it is opened').toBe(0);
      const survey = page.locator('.folded .folder > summary').first();
      await survey.press('Enter');
      await page.locator('.folded .folder .folder > summary').nth(1).press('Enter');
      await page.locator('.folded .folder .upload').first().waitFor();
      expect(await page.locator('.folded .folder .upload').count()).toBe(20);
      const [before] = /\d+/.exec((await survey.locator('.folder-size').textContent()) ?? '') ?? [];
      await page.getByRole('button', { name: 'Remove the folder Site survey 2026/Building 2' }).press('Enter');
      await survey.locator('.folder-size', { hasText: `${Number(before) - 20} files` }).waitFor();
      expect(await page.locator('.folded .folder .folder', { hasText: 'Building 2' }).count()).toBe(0);
    }));

  test('a large delivery is read without a mile of files, and nobody revokes it by accident', () =>
    open('app-delivery-large', async (page) => {
      const revoke = page.getByRole('link', { name: 'Revoke…', exact: true });
      expect(await revoke.isVisible()).toBe(false);
      await expectInView(page.getByRole('link', { name: 'Add receiver' }), 'the first action');
      expect(await page.locator('.receiver-group[open]').count()).toBe(1);
      expect(await page.locator('.receiver-group[open] > summary').textContent()).toContain('3 need you');
      const jump = page.getByRole('navigation', { name: 'On this page' });
      if (await jump.isVisible()) {
        const targets = {
          Files: '#delivery-files h2',
          Message: '#delivery-message h2',
          History: '#delivery-history h2',
        };
        for (const [name, target] of Object.entries(targets)) {
          await page.locator('#delivery-receivers h2').first().scrollIntoViewIfNeeded();
          await jump.getByRole('link', { name: new RegExp(`^${name}`) }).press('Enter');
          await expectInView(page.locator(target), name);
        }
      }
      await page.evaluate('scrollTo(0, 0)');
      await page.getByRole('button', { name: 'More', exact: true }).first().press('Enter');
      await expectInView(revoke, 'in the menu');
    }));

  test('a file that must be chosen again to be sent has a button for it, and nothing turns', () =>
    open('upload-island-sixty', async (page) => {
      await choose(page, [stuck, 'notes.txt'], 2_000_000);
      await page.getByRole('button', { name: 'Send 2 files' }).click();
      await page.locator('#intent', { hasText: 'Sending as soon as everything has arrived' }).waitFor();
      await page.reload();
      await page.locator('#intent', { hasText: 'Not sent yet: this page is waiting for you.' }).waitFor();
      expect(await page.locator('[aria-busy]').count()).toBe(0);
      for (const name of [`Choose again: ${stuck}`, 'Choose again']) {
        const chooser = page.waitForEvent('filechooser');
        await page.getByRole('button', { name, exact: true }).click();
        await chooser;
      }
      await expectInView(page.getByRole('button', { name: 'Choose again', exact: true }), 'the action');
    }));
});

describe.each([320, 390])('at %i px', (width) => {
  let page: Page;
  beforeAll(async () => {
    page = await browser.newPage({ viewport: { width, height: 700 } });
  });
  afterAll(() => page.close());

  test.each(
    languages.flatMap((language) =>
      opened.filter((name) => name.startsWith('download-')).map((name) => `${language}/${name}`),
    ),
  )('no word of the bar of %s is broken or covered', async (name) => {
    await page.goto(`${origin}/${name}`);
    const texts = page.locator('.bar-text > *, .bar .button');
    expect(await texts.count()).toBeGreaterThan(1);
    expect(await texts.evaluateAll(findBrokenWords)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    const [text, button] = await Promise.all(
      ['.bar-text > strong', '.bar .button'].map((part) => page.locator(part).boundingBox()),
    );
    expect((text?.x ?? 0) + (text?.width ?? 0)).toBeLessThanOrEqual(button?.x ?? 0);
    expect(await page.locator('.bar-text').evaluate((bar) => bar.scrollWidth - bar.clientWidth)).toBeLessThanOrEqual(1);
  });
});

describe.each(['app-send', 'app-request-new'])('the script of %s', (name) => {
  test.each(['de', 'en'])('moves nothing in %s', async (language) => {
    for (const viewport of [screens[0].viewport, screens[2].viewport]) {
      const page = await browser.newPage({ viewport });
      try {
        await page.route('**/*.js', (route) => route.abort());
        await page.goto(`${origin}/${language}/${name}`);
        const before = await readTops(page);
        await page.unroute('**/*.js');
        await page.reload();
        await page.locator('.chips').waitFor();
        if (name === 'app-send') await page.locator('.composer-files').waitFor();
        expect(await readTops(page)).toEqual(before);
        expect(before.length).toBeGreaterThan(4);
      } finally {
        await page.close();
      }
    }
  });
});

/** Where the parts of a form begin, and where it ends. */
function readTops(page: Page): Promise<number[]> {
  return page
    .locator('.compose-rows > *, .send-bar')
    .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().top + scrollY));
}

/** The words that take more than one line; a word may also end after a hyphen. */
function findBrokenWords(elements: readonly Element[]): string[] {
  const words = elements.flatMap((element) => {
    const nodes = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const found: Range[] = [];
    for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
      for (const { 0: word, index } of (node.textContent ?? '').matchAll(/[^\s-]+/g)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        found.push(range);
      }
    }
    return found;
  });
  return words.filter((word) => new Set(Array.from(word.getClientRects(), ({ top }) => top)).size > 1).map(String);
}

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
