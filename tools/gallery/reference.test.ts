import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTranslators } from '../../server/src/present/texts/translator.ts';
import { ReferencePage } from '../../server/src/web/reference/reference-page.tsx';
import { createReference } from '../../server/src/web/reference/site.ts';
import { scripts, stylesheets } from '../../server/src/web/shared/asset-sources.ts';
import { renderPage } from '../../server/src/web/shared/render-page.tsx';
import { plainOperator } from '../../server/test/plain-operator.ts';
import { referenceHrefs } from '../../server/test/reference-states.tsx';
import { launchBrowser } from '../shared/browser.ts';
import { policy } from './stage.ts';

const origin = 'http://gallery.test';
const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };
/** Six screens: what a reader finds by scrolling, without a search. */
const maxHeight = 7 * desktop.height;
const files = new Map<string, { body: string; contentType: string }>();
const translator = createTranslators({ fallback: 'en' }).for('en');
const reference = createReference('https://files.northwind.example');
let browser: Browser;
const readLength = (href: string) => files.get(href)?.body.length ?? 0;

describe('the reference in a browser', () => {
  beforeAll(async () => {
    browser = await launchBrowser();
    const sources = [stylesheets.pages, stylesheets.reference, scripts.reference];
    const built = (await build({
      configFile: false,
      root: fileURLToPath(new URL('../../server', import.meta.url)),
      logLevel: 'error',
      build: {
        write: false,
        modulePreload: false,
        rollupOptions: {
          input: sources,
          output: { assetFileNames: '[name][extname]' },
        },
      },
    })) as Rolldown.RolldownOutput;
    for (const file of built.output) {
      if (file.type === 'asset') files.set(`/${file.fileName}`, { body: String(file.source), contentType: 'text/css' });
      // A stylesheet has an empty script of the same name.
      else if (file.facadeModuleId?.endsWith('.ts'))
        files.set('/reference.js', { body: file.code, contentType: 'text/javascript' });
    }
    for (const [href, content] of reference.pages) {
      const html = renderPage(translator, {
        title: content.title,
        page: ReferencePage({ groups: reference.groups, content }),
        languageLinks: [],
        stylesheet: '/pages.css',
        ownStylesheets: ['/reference.css'],
        script: '/reference.js',
        operator: plainOperator,
      });
      files.set(href, { body: html, contentType: 'text/html; charset=utf-8' });
    }
  });
  afterAll(() => browser.close());

  test('has no page that is longer than a few screens', async () => {
    const page = await open({ viewport: desktop, javaScriptEnabled: false });
    const tall: [string, number][] = [];
    // A page is tall because it has much to say: the others need not be drawn.
    const longest = [...reference.pages.keys()]
      .toSorted((one, other) => readLength(other) - readLength(one))
      .slice(0, 12);
    for (const href of longest) {
      await page.goto(`${origin}${href}`);
      const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
      if (height > maxHeight) tall.push([href, height]);
    }
    expect(tall).toEqual([]);
  });

  test.each(Object.values(referenceHrefs))(
    '%s is accessible, light and dark, and fits a small screen',
    async (href) => {
      const page = await open({ viewport: phone });
      await page.goto(`${origin}${href}`);
      for (const [viewport, colorScheme] of [
        [phone, 'light'],
        [desktop, 'dark'],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(viewport);
        const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
        expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`)).toEqual([]);
      }
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    },
  );

  test('keeps the examples and the navigation in view on a desktop', async () => {
    const page = await open({ viewport: desktop });
    await page.goto(`${origin}/docs/drops/create-drop`);
    await page.locator('#errors').scrollIntoViewIfNeeded();
    await expectInView(page.getByRole('region', { name: 'Examples' }).getByText('Request', { exact: true }));
    await expectInView(page.getByRole('link', { name: 'Create drop POST' }));
  });

  test('filters the navigation by keyboard', async () => {
    const page = await open({ viewport: desktop });
    await page.goto(`${origin}/docs`);
    const links = page.getByRole('navigation', { name: 'API reference' }).getByRole('link');
    const unfiltered = await links.count();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to content');
    await page.keyboard.press('Tab');
    await page.keyboard.type('webhook sec');
    expect(await links.allInnerTexts()).toEqual([expect.stringContaining('Replace webhook secret')]);
    expect(await page.getByRole('status').innerText()).toBe('1 page');

    await page.keyboard.press('Escape');
    expect(await links.count()).toBe(unfiltered);
    expect(await page.getByRole('status').innerText()).toBe('');

    await page.keyboard.type('/requests/ GET');
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toContain('List requests');
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toContain('Get request');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${origin}/docs/requests/list-requests`);
    expect(await page.locator('[aria-current=page]').innerText()).toContain('List requests');
  });

  test('copies an example', async () => {
    const page = await open({ viewport: desktop });
    // Browsers have a clipboard only for pages that came over a secure connection.
    await page.addInitScript(() => {
      Object.defineProperty(navigator, 'clipboard', {
        value: { writeText: async (text: string) => void (document.title = text) },
      });
    });
    await page.goto(`${origin}/docs/account/get-account`);
    const button = page.getByRole('button', { name: 'Copy' }).first();
    await button.click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.title()).toContain('/api/v1/account');
  });

  test('is complete without scripts, and folded on a phone', async () => {
    const page = await open({ viewport: phone, javaScriptEnabled: false });
    await page.goto(`${origin}/docs/drops/create-drop`);
    const navigation = page.getByRole('navigation', { name: 'API reference' });
    expect(await navigation.getByRole('link').count()).toBe(0);
    await navigation.getByText('All pages:').click();
    expect(await navigation.getByRole('searchbox').count()).toBe(0);
    await navigation.getByText('Webhooks', { exact: true }).click();
    await navigation.getByRole('link', { name: 'Replay events' }).click();
    await page.waitForURL(`${origin}/docs/webhooks/replay-events`);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Replay events');
  });

  test('moves the focus past the navigation with the first link', async () => {
    const page = await open({ viewport: desktop });
    await page.goto(`${origin}/docs/problems`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
  });
});

async function expectInView(element: Locator): Promise<void> {
  const isInView = await element.evaluate((shown) => {
    const { top, bottom } = shown.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });
  expect(isInView).toBe(true);
}

function focused(page: Page): Promise<string> {
  return page.evaluate(() => (document.activeElement as HTMLElement).innerText);
}

async function open(options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  await context.route(`${origin}/**`, (route) => {
    const file = files.get(new URL(route.request().url()).pathname);
    return route.fulfill(file ? { ...file, headers: { 'content-security-policy': policy } } : { status: 404 });
  });
  return context.newPage();
}
