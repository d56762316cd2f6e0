import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  dropPath,
  type Member,
  readKeptDrafts,
  reloadComposer,
  useComposer,
} from '../../../../test/composer-browser.ts';
import { signInMember } from '../../../../test/sign-in-member.ts';

const { exchange, app, folder, notes: path, signIn, visit } = await useComposer();

describe('a draft', () => {
  let member: Member;
  let context: BrowserContext;
  let network: { isCutOff: boolean };
  let open: () => Promise<Page>;

  beforeEach(async () => {
    ({ member, context, network, open } = await visit());
  });
  afterEach(() => context.close());

  const soon = <Value>(read: () => Promise<Value>) => expect.poll(read, { timeout: 10_000 });
  /** The files that arrive, in full. */
  const findArrived = async () => {
    const rows = await exchange.database.query<{ path: string }>(
      'select coalesce(path, name) as path from files where account_id = $1 order by 1',
      [member.account.accountId],
    );
    return rows.map((row) => row.path);
  };
  const expectArrived = (paths: readonly string[]) => soon(findArrived).toEqual(paths);
  const expectKept = (page: Page, text: string) => soon(() => readKeptDrafts(page)).toContain(text);
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
    network.isCutOff = true;
    await page.locator('input[type=file]').first().setInputFiles(path);
    await expectKept(page, 'notes.txt');
    await reloadComposer(page);
    const row = page.locator('.upload-interrupted', { hasText: 'notes.txt' });
    await row.waitFor();
    network.isCutOff = false;
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
      network.isCutOff = true;
      await dropPath(page, path);
      await expectKept(page, 'notes.txt');
      await page.evaluate(() => sessionStorage.setItem('permission', 'prompt'));
      await reloadComposer(page);
      network.isCutOff = false;
      const question = page.locator('#permission');
      await question.getByRole('button').click();
      await question.waitFor({ state: 'detached' });
      await expectArrived(arrived);
      expect(await page.locator('.upload-interrupted').count()).toBe(arrived.length === 0 ? 1 : 0);
    },
  );

  test('has a pasted screenshot, which exists nowhere else, after a reload too', async () => {
    const page = await open();
    network.isCutOff = true;
    await page.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File(['not really a picture'], 'image.png', { type: 'image/png' }));
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    });
    await expectKept(page, '.png');
    await reloadComposer(page);
    network.isCutOff = false;
    await page.evaluate(() => window.dispatchEvent(new Event('online')));
    await soon(findArrived).toEqual([expect.stringMatching(/\.png$/)]);
  });

  test('has the files of a dropped folder with their paths', async () => {
    const plans = join(folder, 'plans');
    mkdirSync(join(plans, 'north'), { recursive: true });
    writeFileSync(join(plans, 'a.txt'), 'a');
    writeFileSync(join(plans, 'north', 'b.txt'), 'b');
    const page = await open();
    await dropPath(page, plans);
    await expectArrived(['plans/a.txt', 'plans/north/b.txt']);
  });

  test('belongs to one tab, survives its reload, and is taken by the next tab once it is closed', async () => {
    const one = await open();
    await write(one, 'The first message');
    const two = await open();
    expect(await readMessage(two)).toBe('');
    await write(two, 'The second message');
    await reloadComposer(one);
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
    expect(await readKeptDrafts(page)).toBe('');
  });

  test('does not go on in the name of another member of the account', async () => {
    const page = await open();
    network.isCutOff = true;
    await dropPath(page, path);
    await expectKept(page, 'notes.txt');
    await signIn(context, await signInMember(exchange, app, 'member', member.account));
    network.isCutOff = false;
    await page.locator('#signed-out').waitFor();
    expect(await findArrived()).toEqual([]);
    const theirs = await open();
    expect(await theirs.locator('.upload').count()).toBe(0);
  });
});

test('the suggestions do not hide that nobody was named', async () => {
  const account = await exchange.account('anna@example.org');
  const { context, go } = await visit(account);
  const page = await context.newPage();
  const suggested: (string | null)[] = [];
  page.on('request', (request) => {
    const { searchParams } = new URL(request.url());
    if (searchParams.has('q')) suggested.push(searchParams.get('q'));
  });
  await page.clock.install();
  await go(page);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: 'Enter at least one receiver.' }).waitFor();
  await page.clock.fastForward(5_000);
  await page.keyboard.insertText('an');
  await page.getByRole('option', { name: 'anna@example.org' }).waitFor();
  expect(suggested).toEqual(['an']);
  await context.close();
});
