/**
 * Draws every component, page and mail in every state into gallery/, light and dark, on a phone and on a desktop screen, and
 * reports what is wrong with them: what axe finds, what scrolls sideways, what the content security policy blocks.
 *
 *   tools/build-assets && node --conditions=source tools/gallery/gallery.ts [part of a state's name] [language] [branded]
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../shared/browser.ts';
import { openStage } from './open-stage.ts';
import { plays } from './stage.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
const target = `${project}gallery/`;
const [only = '', language = 'en', brand] = process.argv.slice(2);
const phone = { width: 390, height: 844 };
const desktop = { width: 1280, height: 800 };
/** A mail is shown inside a mail program, which has its own landmarks. */
const notForMails = ['landmark-one-main', 'region'];

const stage = await openStage(language, brand === 'branded');
const pictures = stage.pictures.filter(({ name }) => name.includes(only));
const problems = new Set<string>();

async function look(
  page: Page,
  name: string,
  scheme: string,
  mail: boolean,
  act?: (page: Page) => Promise<void>,
): Promise<void> {
  const shot = (size: string) => page.screenshot({ path: `${target}${name}-${size}-${scheme}.png`, fullPage: true });
  await act?.(page);
  // The place of elements that stick to the top of the window.
  await page.evaluate('scrollTo(0, 0)');
  await shot('phone');
  const { violations } = await new AxeBuilder({ page }).disableRules(mail ? notForMails : []).analyze();
  for (const { id, nodes } of violations) {
    problems.add(`${name} (${scheme}): axe ${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`);
  }
  await page.setViewportSize({ width: 320, height: 640 });
  const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
  if (width > 320) problems.add(`${name} (${scheme}): ${width} px wide on a page of 320`);
  await page.setViewportSize(desktop);
  await shot('desktop');
}

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
for (const { name, html, text } of pictures) {
  writeFileSync(`${target}${name}.html`, html);
  if (text !== undefined) writeFileSync(`${target}${name}.txt`, text);
}
const browser = await launchBrowser().catch((error: Error) => {
  stage.close();
  const [reason] = error.message.split('\n');
  process.stderr.write(`gallery/ contains pages and mails as HTML and text, but no pictures: ${reason}\n`);
  process.exit(1);
});
try {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ colorScheme, viewport: phone, reducedMotion: 'reduce' });
    for (const { name, text, opens } of pictures) {
      const page = await context.newPage();
      page.on('console', (message) => {
        // A refused upload and a lost network are part of the play.
        const expected = /415|ERR_INTERNET_DISCONNECTED/.test(message.text());
        if (message.type() === 'error' && !expected) problems.add(`${name}: ${message.text()}`);
      });
      page.on('pageerror', (error) => problems.add(`${name}: ${error.message}`));
      page.on('dialog', (dialog) => {
        problems.add(`${name}: a dialog`);
        void dialog.dismiss();
      });
      await page.goto(`${stage.origin}/${name}`);
      if (opens !== undefined) await page.locator(`[commandfor=${opens}]`).click();
      await look(page, name, colorScheme, text !== undefined);
      for (const [state, act] of plays[name] ?? []) {
        await page.setViewportSize(phone);
        await look(page, `${name}-${state}`, colorScheme, false, act);
      }
      await page.close();
    }
    await context.close();
  }
} finally {
  await browser.close();
  stage.close();
}
process.stdout.write(problems.size === 0 ? 'No problems found.\n' : `${[...problems].join('\n')}\n`);
process.exitCode = problems.size === 0 ? 0 : 1;
