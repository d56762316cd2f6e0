import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { afterAll, expect, test } from 'vitest';
import { launchBrowser } from '../../../../tools/shared/browser.ts';
import { openLink } from '../../domain/links/open-link.ts';
import { recordDelivery } from '../../domain/links/record-delivery.ts';
import { useTestExchange } from '../../testing/exchange.ts';
import { sentLink } from '../../testing/links.ts';
import { testPages } from '../../testing/pages.ts';
import { buildTestServer } from '../../testing/server.ts';
import { signInMember } from '../../testing/sign-in-member.ts';

/** A transaction in any database of the server, such as another test's, keeps new events from being seen until it ends. */
const timeout = 100_000;
const exchange = await useTestExchange();
const { engines } = exchange;
const script = await buildScript();
const pages = {
  ...testPages,
  secureCookies: false,
  assets: { ...testPages.assets, files: new Map([['frame.js', Buffer.from(script)]]), href: toHref },
};
const app = buildTestServer(exchange, {}, { pages });
const address = await app.listen({ port: 0, host: '127.0.0.1' });
const browser: Browser = await launchBrowser();
afterAll(async () => {
  await browser.close();
  await app.close();
});

function toHref(source: string): string {
  return source.endsWith('.ts') || source.endsWith('.tsx') ? '/assets/frame.js' : '/assets/none';
}

async function buildScript(): Promise<string> {
  const { output } = (await build({
    configFile: false,
    root: fileURLToPath(new URL('../../../', import.meta.url)),
    logLevel: 'error',
    build: { write: false, modulePreload: false, rollupOptions: { input: 'src/views/islands/frame.ts' } },
  })) as Rolldown.RolldownOutput;
  return output.find((file) => file.type === 'chunk')?.code ?? '';
}

async function openScreen(path: string, session: string): Promise<Page> {
  const context = await browser.newContext();
  await context.addCookies([{ name: 'waybill_session', value: session, url: address }]);
  const page = await context.newPage();
  await page.goto(`${address}${path}`);
  await page.evaluate('window.isSame = true');
  return page;
}

test('a delivery is followed without a reload, and a session that is ended ends it', {
  timeout: 2 * timeout,
}, async () => {
  const { sender, dropId, link } = await sentLink(exchange, ['a.txt']);
  const account = { ...sender, apiKey: '' };
  const member = await signInMember(exchange, app, 'reader', account as Parameters<typeof signInMember>[3]);
  const secret = member.browser.cookies.get('__Host-waybill_session') ?? '';
  const page = await openScreen(`${member.base}sent/${dropId}`, secret);
  const receivers = page.locator('#delivery-receivers');
  expect(await receivers.textContent()).toMatch(/OpenedNot yetDownloadedNot yet/);
  await openLink(engines, link);
  await expect.poll(() => receivers.textContent(), { timeout }).toMatch(/Opened\d+:\d+.*DownloadedNot yet/);
  for (const { id, sizeBytes } of await engines.store.links.files(link)) {
    await recordDelivery(engines, link, [{ file: { id, sizeBytes }, sent: { start: 0, end: sizeBytes } }]);
  }
  await expect.poll(() => receivers.textContent(), { timeout }).toMatch(/1 of 1 ha(?:s|ve) everything/);
  expect(await page.evaluate('window.isSame')).toBe(true);
  await engines.store.sessions.end(member.person.id, 'all');
  await page.getByRole('alert').filter({ hasText: 'no longer signed in' }).waitFor();
});
