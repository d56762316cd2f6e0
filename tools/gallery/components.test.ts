import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contrast } from '../../server/src/present/colors.ts';
import { createTranslators } from '../../server/src/present/texts/translator.ts';
import { stylesheets } from '../../server/src/web/shared/asset-sources.ts';
import { findBarriers } from '../shared/accessibility.ts';
import { launchBrowser } from '../shared/browser.ts';
import { components } from './render.ts';
import { policy } from './stage.ts';

const translator = createTranslators({ fallback: 'en' });
const asset = (source: string) => `/${basename(source)}`;
const pictures = components(translator, asset, 'ltr');
const mirrored = components(translator, asset, 'rtl');
const loaded = [stylesheets.pages, stylesheets.app, stylesheets.composer, stylesheets['sign-in']];
const origin = 'http://gallery.test';
const phone = { width: 390, height: 844 };
const small = { width: 320, height: 640 };
let browser: Browser;
const files = new Map<string, { body: string; contentType: string }>();

describe('the components', () => {
  beforeAll(async () => {
    browser = await launchBrowser();
    const built = (await build({
      configFile: false,
      root: fileURLToPath(new URL('../../server', import.meta.url)),
      logLevel: 'error',
      build: {
        write: false,
        rollupOptions: { input: loaded },
      },
    })) as Rolldown.RolldownOutput;
    for (const name of loaded.map((path) => basename(path))) {
      const stylesheet = built.output.find((file) => file.type === 'asset' && file.names.includes(name));
      if (stylesheet?.type !== 'asset') throw new Error(`The stylesheet ${name} was not built.`);
      files.set(`/${name}`, { body: String(stylesheet.source), contentType: 'text/css' });
    }
    const specimens = readFileSync(new URL('specimens.css', import.meta.url), 'utf8');
    files.set('/specimens.css', { body: specimens, contentType: 'text/css' });
    for (const { name, html } of [...pictures, ...mirrored])
      files.set(`/${name}`, { body: html, contentType: 'text/html' });
  });
  afterAll(() => browser.close());

  describe.each(pictures)('$name', ({ name, opens }) => {
    test('is accessible and fits a small screen, light and dark', async () => {
      const shown = await show(name, { viewport: phone });
      const { page, complaints } = shown;
      if (opens !== undefined) await page.locator(`[commandfor=${opens}]`).click();
      expect(await findBarriers(page)).toEqual([]);
      await page.setViewportSize(small);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(small.width);
      expect(complaints).toEqual([]);
    });

    test('can be hit by a finger', async () => {
      const shown = await show(name, { viewport: phone, hasTouch: true, isMobile: true });
      if (opens !== undefined) await shown.page.locator(`[commandfor=${opens}]`).tap();
      const missed = await shown.page
        .locator(':is(button, a, input, select, textarea, summary):visible')
        .evaluateAll((controls) =>
          controls
            .filter((control) => {
              // A box is also hit by its label.
              const label =
                control.matches('[type=checkbox], [type=radio]') && (control as HTMLInputElement).labels?.[0];
              const target = label || control;
              const { width, height } = target.getBoundingClientRect();
              // A link or a label may extend over its row.
              const over = getComputedStyle(target, '::after');
              const reach = (own: number, extended: string) =>
                Math.ceil(Math.max(own, Number.parseFloat(extended) || 0));
              return reach(width, over.width) < 44 || reach(height, over.height) < 44;
            })
            .map((control) => control.outerHTML),
        );
      expect(missed).toEqual([]);
    });
  });

  test.each(mirrored)('$name fits a small screen', async ({ name }) => {
    const shown = await show(name, { viewport: small });
    expect(await shown.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(small.width);
  });

  test('a dialog opens, closes and gives the focus back without a script of ours', async () => {
    const shown = await show('component-dialog-ltr', { viewport: phone });
    const { page } = shown;
    const dialog = page.getByRole('dialog', { name: 'Disable the link?' });
    const opener = page.getByRole('button', { name: 'Disable link…' });
    for (const close of ['Close', 'Keep it']) {
      await opener.click();
      await dialog.getByRole('button', { name: close }).click();
      await dialog.waitFor({ state: 'hidden' });
      expect(await opener.evaluate((element) => element === document.activeElement)).toBe(true);
    }
  });

  test('a table is cards below 640 px', async () => {
    const shown = await show('component-table-ltr', { viewport: { width: 640, height: 800 } });
    const { page } = shown;
    const row = page.locator('tbody tr').first();
    expect(await row.evaluate((element) => getComputedStyle(element).display)).toBe('table-row');
    await page.setViewportSize({ width: 639, height: 800 });
    expect(await row.evaluate((element) => getComputedStyle(element).display)).toBe('block');
    expect(await page.getByRole('table').getByRole('row').count()).toBe(4);
  });

  test('a long name takes two lines, keeps its type in sight, and is copied whole', async () => {
    const shown = await show('component-file-row-ltr', { viewport: small });
    const row = shown.page.locator('.file', { hasText: 'IMG_2026' });
    const [text, lines] = await row.locator('.file-own-name').evaluate((element) => {
      const { height } = element.getBoundingClientRect();
      return [
        (element as HTMLElement).innerText,
        Math.round(height / Number.parseFloat(getComputedStyle(element).lineHeight)),
      ] as const;
    });
    expect(text).toBe('IMG_20260914_101112_site-survey-north-entrance-after-the-rain-version-2-final.jpeg');
    expect(lines).toBe(2);
    expect(await row.locator('.file-meta').innerText()).toBe('JPEG · 6.1 MB');
  });

  describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
    test.each(['component-button-ltr', 'component-field-ltr'])(
      'what can be used in %s has an edge of 3:1',
      async (name) => {
        const shown = await show(name, { colorScheme });
        const controls = shown.page.locator(
          ':is(.button-main, .button-quiet, .button-danger, .field > :is(input, select, textarea, .chips)):not(:disabled)',
        );
        const edges = await controls.evaluateAll((all) => all.map((each) => getComputedStyle(each).borderTopColor));
        expect(edges.length).toBeGreaterThan(2);
        const card = await shown.page.locator('.card').evaluate((element) => getComputedStyle(element).backgroundColor);
        expect(edges.filter((edge) => !(contrast(hex(edge), hex(card)) >= 3))).toEqual([]);
      },
    );
  });
});

/** `rgb(0, 0, 0)`, as a browser computes it, as `#000000`. */
function hex(color: string): string {
  const channels = color.match(/\d+/g) ?? [];
  return `#${channels.map((channel) => Number(channel).toString(16).padStart(2, '0')).join('')}`;
}

interface Shown {
  readonly page: Page;
  /** Errors on the console since the component was shown. */
  readonly complaints: string[];
}

/** Tests with the same options share a page, because a context takes Chromium longer to make than most tests take. */
const shownWith = new Map<string, Promise<Shown>>();

async function show(name: string, options: BrowserContextOptions): Promise<Shown> {
  const key = JSON.stringify(options);
  const opening = shownWith.get(key) ?? open(options);
  shownWith.set(key, opening);
  const shown = await opening;
  // As the options say, whatever an earlier test did.
  await shown.page.emulateMedia({ colorScheme: options.colorScheme ?? 'light' });
  if (options.viewport) await shown.page.setViewportSize(options.viewport);
  shown.complaints.length = 0;
  await shown.page.goto(`${origin}/${name}`);
  return shown;
}

async function open(options: BrowserContextOptions): Promise<Shown> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  await context.route(`${origin}/**`, (route) => {
    const file = files.get(new URL(route.request().url()).pathname);
    return route.fulfill(file ? { ...file, headers: { 'content-security-policy': policy } } : { status: 404 });
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
  return { page, complaints };
}
