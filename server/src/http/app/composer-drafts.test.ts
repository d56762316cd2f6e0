import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchBrowser } from '../../../../tools/shared/browser.ts';
import { useTestExchange } from '../../testing/exchange.ts';
import { testPages } from '../../testing/pages.ts';
import { buildTestServer } from '../../testing/server.ts';
import { signInMember } from '../../testing/sign-in-member.ts';

type Member = Awaited<ReturnType<typeof signInMember>>;

const exchange = await useTestExchange();
const script = Buffer.from(await buildScript());
const pages = {
  ...testPages,
  secureCookies: false,
  assets: { ...testPages.assets, files: new Map([['send.js', script]]), href: toHref },
};
const folder = mkdtempSync(join(tmpdir(), 'waybill-composer-'));
const browser = await launchBrowser();
const app = buildTestServer(exchange, {}, { pages });
const address = await app.listen({ port: 0, host: '127.0.0.1' });
afterAll(async () => {
  await browser.close();
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

function toHref(source: string): string {
  return source.endsWith('send.tsx') ? '/assets/send.js' : '/assets/none';
}

async function buildScript(): Promise<string> {
  const { output } = (await build({
    configFile: false,
    root: fileURLToPath(new URL('../../../', import.meta.url)),
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: { write: false, modulePreload: false, rollupOptions: { input: 'src/views/islands/send.tsx' } },
  })) as Rolldown.RolldownOutput;
  return output.find((file) => file.type === 'chunk')?.code ?? '';
}

async function signIn(context: BrowserContext, member: Member): Promise<void> {
  const value = member.browser.cookies.get('__Host-waybill_session') ?? '';
  await context.addCookies([{ name: 'waybill_session', value, url: address }]);
}

/** Drops a file or a folder as a person does, so that the browser has a handle of it. */
async function drop(page: Page, path: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x: 20, y: 20, data });
  }
}

describe('a draft', () => {
  let member: Member;
  let context: BrowserContext;
  let isCutOff = false;
  const path = join(folder, 'notes.txt');

  beforeAll(() => writeFileSync(path, 'a few notes'));
  beforeEach(async () => {
    isCutOff = false;
    member = await signInMember(exchange, app);
    context = await browser.newContext();
    await signIn(context, member);
    await context.route('**/uploads', (route) =>
      isCutOff && route.request().method() === 'POST' ? route.abort() : route.fallback(),
    );
  });
  afterEach(() => context.close());

  const soon = <Value>(read: () => Promise<Value>) => expect.poll(read, { timeout: 10_000 });
  const open = async () => {
    const page = await context.newPage();
    await page.goto(`${address}${member.base}`);
    await page.locator('.composer-files').waitFor();
    return page;
  };
  /** What arrives, in full. */
  const findArrived = async () => {
    const rows = await exchange.database.query<{ path: string }>(
      'select coalesce(path, name) as path from files where account_id = $1 order by 1',
      [member.account.accountId],
    );
    return rows.map((row) => row.path);
  };
  const expectArrived = (paths: readonly string[]) => soon(findArrived).toEqual(paths);
  /** What the browser keeps, as text. */
  const readKept = (page: Page) =>
    page.evaluate(async () => {
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
  const expectKept = (page: Page, text: string) => soon(() => readKept(page)).toContain(text);
  const reload = async (page: Page) => {
    await page.reload();
    await page.locator('.composer-files').waitFor();
  };
  const write = async (page: Page, text: string) => {
    await page.locator('[name=message]').fill(text);
    await expectKept(page, text);
  };
  const readMessage = (page: Page) => page.locator('[name=message]').inputValue();

  test('without handles says after a reload which files to choose again, and goes on with them', async () => {
    await context.addInitScript(() => {
      Object.assign(window, { showOpenFilePicker: undefined, showDirectoryPicker: undefined });
    });
    const page = await open();
    isCutOff = true;
    await page.locator('input[type=file]').first().setInputFiles(path);
    await expectKept(page, 'notes.txt');
    await reload(page);
    const row = page.locator('.upload-interrupted', { hasText: 'notes.txt' });
    await row.waitFor();
    isCutOff = false;
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose again: notes.txt' }).click(),
    ]);
    await chooser.setFiles(path);
    await row.waitFor({ state: 'detached' });
    await expectArrived(['notes.txt']);
  });

  test.each([
    ['allows it', 'granted', ['notes.txt']],
    ['does not allow it', 'denied', []],
  ] as const)(
    'whose files may be read only after a question goes on if the person %s',
    async (_what, reply, arrived) => {
      await context.addInitScript((next) => {
        const state = () => sessionStorage.getItem('permission') ?? 'granted';
        Object.assign(FileSystemFileHandle.prototype, {
          queryPermission: async () => state(),
          requestPermission: async () => {
            sessionStorage.setItem('permission', next);
            return next;
          },
        });
      }, reply);
      const page = await open();
      isCutOff = true;
      await drop(page, path);
      await expectKept(page, 'notes.txt');
      await page.evaluate(() => sessionStorage.setItem('permission', 'prompt'));
      await reload(page);
      isCutOff = false;
      const question = page.locator('#permission');
      await question.getByRole('button').click();
      await question.waitFor({ state: 'detached' });
      await expectArrived(arrived);
      expect(await page.locator('.upload-interrupted').count()).toBe(arrived.length === 0 ? 1 : 0);
    },
  );

  test('has a pasted screenshot, which exists nowhere else, after a reload too', async () => {
    const page = await open();
    isCutOff = true;
    await page.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File(['not really a picture'], 'image.png', { type: 'image/png' }));
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    });
    await expectKept(page, '.png');
    await reload(page);
    isCutOff = false;
    await page.evaluate(() => window.dispatchEvent(new Event('online')));
    await soon(findArrived).toEqual([expect.stringMatching(/\.png$/)]);
  });

  test('has the files of a dropped folder with their paths', async () => {
    const plans = join(folder, 'plans');
    mkdirSync(join(plans, 'north'), { recursive: true });
    writeFileSync(join(plans, 'a.txt'), 'a');
    writeFileSync(join(plans, 'north', 'b.txt'), 'b');
    const page = await open();
    await drop(page, plans);
    await expectArrived(['plans/a.txt', 'plans/north/b.txt']);
  });

  test('belongs to one tab, survives its reload, and is taken by the next tab once it is closed', async () => {
    const one = await open();
    await write(one, 'The first message');
    const two = await open();
    expect(await readMessage(two)).toBe('');
    await write(two, 'The second message');
    await reload(one);
    expect(await readMessage(one)).toBe('The first message');
    await one.close();
    await soon(() => two.evaluate(async () => (await navigator.locks.query()).held?.length)).toBe(1);
    expect(await readMessage(await open())).toBe('The first message');
    expect(await readMessage(two)).toBe('The second message');
  });

  test('is deleted when the person signs out', async () => {
    const page = await open();
    await write(page, 'Nobody else may read this');
    await page.evaluate(() => document.querySelector<HTMLFormElement>('form[action="/sign-out"]')?.requestSubmit());
    await page.waitForURL(/signed-out/);
    expect(await readKept(page)).toBe('');
  });

  test('does not go on in the name of another member of the account', async () => {
    const page = await open();
    isCutOff = true;
    await drop(page, path);
    await expectKept(page, 'notes.txt');
    await signIn(context, await signInMember(exchange, app, 'member', member.account));
    isCutOff = false;
    await page.locator('#signed-out').waitFor();
    expect(await findArrived()).toEqual([]);
    const theirs = await open();
    expect(await theirs.locator('.upload').count()).toBe(0);
  });
});

test('the suggestions do not hide that nobody was named', async () => {
  const account = await exchange.account('anna@example.org');
  const member = await signInMember(exchange, app, 'member', account);
  const context = await browser.newContext();
  await signIn(context, member);
  const page = await context.newPage();
  const suggested: (string | null)[] = [];
  page.on('request', (request) => {
    const { searchParams } = new URL(request.url());
    if (searchParams.has('q')) suggested.push(searchParams.get('q'));
  });
  await page.clock.install();
  await page.goto(`${address}${member.base}`);
  await page.locator('.composer-files').waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: 'Enter at least one receiver.' }).waitFor();
  await page.clock.fastForward(5_000);
  await page.keyboard.insertText('an');
  await page.getByRole('option', { name: 'anna@example.org' }).waitFor();
  expect(suggested).toEqual(['an']);
  await context.close();
});
