import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { afterAll } from 'vitest';
import { launchBrowser } from '../../tools/shared/browser.ts';
import { scripts } from '../src/web/shared/asset-sources.ts';
import { useTestExchange } from './exchange.ts';
import { testPages } from './pages.ts';
import { buildTestServer } from './server.ts';
import { signInMember } from './sign-in-member.ts';

export type Member = Awaited<ReturnType<typeof signInMember>>;

/** A server that serves the composer with its script, and a browser. */
export async function useComposer() {
  const exchange = await useTestExchange();
  const script = Buffer.from(await buildScript());
  const pages = {
    ...testPages,
    secureCookies: false,
    assets: { ...testPages.assets, files: new Map([['send.js', script]]), href: toHref },
  };
  const folder = mkdtempSync(join(tmpdir(), 'waybill-composer-'));
  const notes = join(folder, 'notes.txt');
  writeFileSync(notes, 'a few notes');
  const browser = await launchBrowser();
  const app = buildTestServer(exchange, { sms: { send: async () => undefined } as never }, { pages });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  afterAll(async () => {
    await browser.close();
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const signIn = async (context: BrowserContext, member: Member) => {
    const value = member.browser.cookies.get('__Host-waybill_session') ?? '';
    await context.addCookies([{ name: 'waybill_session', value, url: address }]);
  };
  /** A browser of a new person, whose uploads get no further while it is cut off; `handlers` respond to other requests. */
  const visit = async (account?: Member['account']) => {
    const member = await signInMember(exchange, app, 'member', account);
    const context = await browser.newContext();
    await signIn(context, member);
    const network: { isCutOff: boolean; handlers: Record<string, (route: Route) => Promise<void>> } = {
      isCutOff: false,
      handlers: {},
    };
    await context.route(/\/(?:uploads|receivers)(?:\?|$)/, (route) => {
      const [, path = ''] = /\/([a-z]+)(?:\?|$)/.exec(route.request().url()) ?? [];
      const isCut = network.isCutOff && path === 'uploads' && route.request().method() === 'POST';
      return isCut ? route.abort() : (network.handlers[path]?.(route) ?? route.continue());
    });
    const go = async (page: Page, query = '') => {
      await page.goto(`${address}${member.base}${query}`);
      await page.locator('.composer-files').waitFor();
    };
    const open = async (query = '') => {
      const page = await context.newPage();
      await go(page, query);
      return page;
    };
    return { member, context, network, open, go };
  };
  return { exchange, app, folder, notes, signIn, visit };
}

function toHref(source: string): string {
  return source === scripts.send ? '/assets/send.js' : '/assets/none';
}

async function buildScript(): Promise<string> {
  const { output } = (await build({
    configFile: false,
    root: fileURLToPath(new URL('../', import.meta.url)),
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: { write: false, modulePreload: false, rollupOptions: { input: scripts.send } },
  })) as Rolldown.RolldownOutput;
  return output.find((file) => file.type === 'chunk')?.code ?? '';
}

/** Drops a file or a folder as a person does, so that the browser has a handle of it. */
export async function dropPath(page: Page, path: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x: 20, y: 20, data });
  }
}

export async function reloadComposer(page: Page): Promise<void> {
  await page.reload();
  await page.locator('.composer-files').waitFor();
}

/** Returns the drafts that the browser keeps, as text. */
export function readKeptDrafts(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const databases = await indexedDB.databases();
    if (databases.length === 0) return '';
    const wait = <Result>(request: IDBRequest<Result>) =>
      new Promise<Result>((resolve, reject) => {
        request.addEventListener('success', () => resolve(request.result));
        request.addEventListener('error', () => reject(request.error ?? new Error('no database')));
      });
    const database = await wait(indexedDB.open('waybill'));
    const drafts = await wait(database.transaction('drafts').objectStore('drafts').getAll());
    database.close();
    return JSON.stringify(drafts);
  });
}
