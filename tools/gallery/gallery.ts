/**
 * Draws every page and every mail in every state into gallery/, light and dark, on a telephone and on a desk, and
 * says what is wrong with them: what axe finds, what scrolls sideways, what the content policy blocks.
 *
 *   tools/build-assets && node tools/gallery/gallery.ts [part of a state's name] [language]
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { runnerImport } from 'vite';
import { launchBrowser } from '../browser.ts';
import { createStage, playUpload, sendUpload, tidyUpload } from './stage.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
const assets = `${project}server/dist/assets`;
const target = `${project}gallery/`;
const [only = '', language = 'en'] = process.argv.slice(2);
const phone = { width: 390, height: 844 };
const desk = { width: 1280, height: 800 };
/** A mail is shown inside of a mail program, which has landmarks of its own. */
const notForMails = ['landmark-one-main', 'region'];

const manifest = JSON.parse(readFileSync(`${assets}/manifest.json`, 'utf8')) as Record<string, { file: string }>;

function asset(source: string): string {
  const file = manifest[source]?.file;
  if (file === undefined) throw new Error(`tools/build-assets has not built ${source}.`);
  return `/assets/${file}`;
}

const { module } = await runnerImport<typeof import('./render.ts')>(`${project}tools/gallery/render.ts`, {
  configFile: false,
  root: `${project}server`,
  logLevel: 'error',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
const pictures = module.pictures(language, asset).filter(({ name }) => name.includes(only));
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
  await shot('phone');
  const { violations } = await new AxeBuilder({ page }).disableRules(mail ? notForMails : []).analyze();
  for (const { id, nodes } of violations) {
    problems.add(`${name} (${scheme}): axe ${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`);
  }
  await page.setViewportSize({ width: 320, height: 640 });
  const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
  if (width > 320) problems.add(`${name} (${scheme}): ${width} px wide on a page of 320`);
  await page.setViewportSize(desk);
  await shot('desk');
}

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
for (const { name, html, text } of pictures) {
  writeFileSync(`${target}${name}.html`, html);
  if (text !== undefined) writeFileSync(`${target}${name}.txt`, text);
}
const stage = createStage(
  assets,
  new Map(pictures.map(({ name, html, text }) => [name, { html, mail: text !== undefined }])),
);
await new Promise<void>((resolve) => {
  stage.listen(0, '127.0.0.1', resolve);
});
const origin = `http://127.0.0.1:${(stage.address() as AddressInfo).port}`;
const browser = await launchBrowser();
try {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ colorScheme, viewport: phone, reducedMotion: 'reduce' });
    for (const { name, text, script } of pictures) {
      const page = await context.newPage();
      page.on('console', (message) => {
        // A refused upload is part of the play.
        if (message.type() === 'error' && !message.text().includes('415')) problems.add(`${name}: ${message.text()}`);
      });
      page.on('pageerror', (error) => problems.add(`${name}: ${error.message}`));
      page.on('dialog', (dialog) => {
        problems.add(`${name}: a dialog`);
        void dialog.dismiss();
      });
      await page.goto(`${origin}/${name}`);
      const uploads = script === 'upload';
      await look(page, name, colorScheme, text !== undefined, uploads ? playUpload : undefined);
      if (uploads) {
        for (const [state, act] of [['ready', tidyUpload] as const, ['sent', sendUpload] as const]) {
          await page.setViewportSize(phone);
          await look(page, `${name}-${state}`, colorScheme, false, act);
        }
      }
      await page.close();
    }
    await context.close();
  }
} finally {
  await browser.close();
  stage.closeAllConnections();
  stage.close();
}
process.stdout.write(problems.size === 0 ? 'Nothing to complain about.\n' : `${[...problems].join('\n')}\n`);
process.exitCode = problems.size === 0 ? 0 : 1;
