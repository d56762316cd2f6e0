import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../../../../tools/shared/browser.ts';
import { testPages } from '../../../test/pages.ts';
import { readStylesheet } from '../../../test/read-stylesheet.ts';
import { buildVerifier } from '../../../vite.verifier.ts';
import { createVerifyPage } from './verify-routes.tsx';

const readExample = (name: string) =>
  readFileSync(new URL(`../../../../docs/examples/${name}`, import.meta.url), 'utf8');
const receipt = readExample('receipt.json');
const policy = readExample('receipt-policy.txt');
const folder = mkdtempSync(join(tmpdir(), 'waybill-verify-'));
const browser = await launchBrowser();
const toPath = (language: string) => join(folder, `verify.${language}.html`);
const saved = toPath('en');
beforeAll(async () => {
  const files = new Map([
    ['pages.css', readStylesheet('pages')],
    ['verify.tsx', await buildVerifier()],
  ]);
  const assets = { ...testPages.assets, files: new Map([...files].map(([name, text]) => [name, Buffer.from(text)])) };
  const { render } = createVerifyPage({ ...testPages, assets });
  for (const language of ['en', 'de', 'sv', 'fr', 'es']) writeFileSync(toPath(language), render(language, policy));
  writeFileSync(join(folder, 'receipt.json'), receipt);
  writeFileSync(join(folder, 'changed.json'), receipt.replace('anna@', 'bert@'));
  writeFileSync(join(folder, 'fraction.json'), receipt.replace('"code":"none",', '"code":"none","extra":1.5,'));
  writeFileSync(join(folder, 'invoice.pdf'), '%PDF-1.4\n1 0 obj\n<< /Length 2 0 R >>\nstream\nx\nendstream\nendobj\n');
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

/** Opens the copy on the disk without a network, and counts whatever it asks for. */
async function openSaved(options: Parameters<typeof browser.newContext>[0] = {}, language = 'en') {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, ...options });
  await context.setOffline(true);
  const requests: string[] = [];
  context.on('request', (request) => requests.push(request.url()));
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(pathToFileURL(toPath(language)).href);
  return { page, requests, problems, [Symbol.asyncDispose]: () => context.close() };
}

const choose = (page: Page, name: string) => page.setInputFiles('#receipt', join(folder, name));
const readVerdict = async (page: Page) => {
  await page.locator('#verdict .banner').waitFor();
  return await page.locator('#verdict').innerText();
};

test('a copy on a disk verifies without a network, and asks for nothing', async () => {
  await using opened = await openSaved();
  const { page, requests, problems } = opened;
  await choose(page, 'receipt.json');
  const proven = await readVerdict(page);
  expect(proven).toContain('Proven');
  expect(proven).toContain('anna@example.com');
  expect(proven).toContain('The witness W1 saw the same log');
  await choose(page, 'changed.json');
  await page.getByText('Not proven').waitFor();
  expect(await readVerdict(page)).not.toContain('SHA-256');
  expect({ requests, problems }).toEqual({ requests: [pathToFileURL(saved).href], problems: [] });
  // Even a script that is wrong could send nothing.
  const isSent = await page.evaluate(() =>
    fetch('http://127.0.0.1:9/').then(
      () => true,
      () => false,
    ),
  );
  expect(isSent).toBe(false);
  expect(problems.join()).toContain('Content Security Policy');
});

test.each([
  ['de', 'Bewiesen', 'report.pdf wurde am 18. November 2026 um 09:05:31 UTC an anna@example.com übergeben.'],
  ['sv', 'Bevisat', 'report.pdf överlämnades till anna@example.com 18 november 2026'],
  ['fr', 'Prouvé', 'report.pdf a été remis à anna@example.com le 18 novembre 2026'],
  ['es', 'Demostrado', 'report.pdf se entregó a anna@example.com el 18 de noviembre de 2026'],
])('says in %s what is proven, and what is wrong', async (language, title, fact) => {
  await using opened = await openSaved({}, language);
  const { page } = opened;
  await choose(page, 'receipt.json');
  const proven = await readVerdict(page);
  expect(proven).toContain(title);
  expect(proven).toContain(fact);
  expect(proven).not.toMatch(/verify\.|\{|the link|No event/);
  await choose(page, 'changed.json');
  await page.locator('#verdict .tone-bad').first().waitFor();
  expect(await readVerdict(page)).not.toMatch(/verify\./);
});

test('shows nothing of the file before, and says of another kind of file that it is no receipt', async () => {
  await using opened = await openSaved();
  const { page, problems } = opened;
  await choose(page, 'receipt.json');
  expect(await readVerdict(page)).toContain('Proven');
  await choose(page, 'fraction.json');
  await page.getByText('Not proven').waitFor();
  const unproven = await readVerdict(page);
  expect(unproven).toContain('fraction.json');
  expect(unproven).not.toContain('anna@example.com');
  await choose(page, 'invoice.pdf');
  await page.getByText('This is not a receipt.').waitFor();
  expect(await readVerdict(page)).not.toContain('Do not rely');
  const pictures = process.env['WAYBILL_TEST_PICTURES'];
  if (pictures) await page.screenshot({ path: join(pictures, 'verify-no-receipt.png'), fullPage: true });
  // A file that cannot be read, and one that is verified for longer than the next.
  await page.evaluate(() => {
    File.prototype.arrayBuffer = () => Promise.reject(new Error('gone'));
  });
  await choose(page, 'receipt.json');
  await page.getByText('The file cannot be read.').waitFor();
  expect(await readVerdict(page)).not.toContain('invoice.pdf');
  expect(problems).toEqual([]);
});

test('keeps the verdict of the last run when an earlier run of the same file ends', async () => {
  await using opened = await openSaved();
  const { page } = opened;
  await page.evaluate(() => {
    const first = Promise.withResolvers<ArrayBuffer>();
    let reads = 0;
    File.prototype.arrayBuffer = function () {
      reads += 1;
      return reads === 1 ? first.promise : Blob.prototype.arrayBuffer.call(this);
    };
    document.addEventListener('endfirst', () => first.reject(new Error('gone')));
  });
  await choose(page, 'receipt.json');
  await page.getByRole('button', { name: 'Verify' }).click();
  expect(await readVerdict(page)).toContain('Proven');
  await page.evaluate(() => document.dispatchEvent(new Event('endfirst')));
  expect(await readVerdict(page)).toContain('Proven');
});

test('works by keyboard, with a key alone, and says what is missing', async () => {
  await using opened = await openSaved();
  const { page } = opened;
  await page.focus('#trust');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await readVerdict(page)).toContain('Choose a receipt first.');
  await choose(page, 'receipt.json');
  const [, key = ''] = /^log (\S+)$/m.exec(policy) ?? [];
  await page.fill('#trust', `${key}x`);
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByText('The keys cannot be read').waitFor();
  await page.fill('#trust', key);
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByText('no witness states one').waitFor();
});

test.each(['light', 'dark'] as const)('is accessible and fits a phone, %s', async (colorScheme) => {
  await using opened = await openSaved({ colorScheme, viewport: { width: 320, height: 700 } });
  const { page } = opened;
  await choose(page, 'receipt.json');
  await readVerdict(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  const pictures = process.env['WAYBILL_TEST_PICTURES'];
  if (pictures) await page.screenshot({ path: join(pictures, `verify-${colorScheme}.png`), fullPage: true });
});
