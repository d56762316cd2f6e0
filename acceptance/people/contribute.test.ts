// The contact's side of docs/api.md#9-allow-contacts-to-send-files: from the request's mail to the account's inbox.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eicar } from '../../tools/shared/eicar.ts';
import { freshClient } from '../lib/accounts.ts';
import { fullSize } from '../lib/full-size.ts';
import type { Client } from '../lib/http/client.ts';
import { desktop, launchBrowser, phone, visit } from '../lib/people/browser.ts';
import { inboxFrom, openPage, requestFiles, waitForInbox } from '../lib/people/contact.ts';
import { mailsTo, waitForMail } from '../lib/people/mailbox.ts';
import { adminJson } from '../lib/servers/admin.ts';
import { query } from '../lib/servers/exchange-internals.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { eventually } from '../lib/wait.ts';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const files = [
  { name: 'figures.xlsx', content: randomBytes(9 * 1024 * 1024 + 17) },
  { name: 'Räksmörgås 日本.txt', content: Buffer.from('smörgås') },
  { name: 'empty.bin', content: Buffer.alloc(0) },
];

let browser: Browser;
let client: Client;
let folder: string;
beforeAll(async () => {
  [browser, client] = await Promise.all([launchBrowser(), freshClient('owner')]);
  folder = mkdtempSync(join(tmpdir(), 'waybill-contact-'));
  for (const { name, content } of files) writeFileSync(join(folder, name), content);
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

const paths = (names: readonly string[] = files.map(({ name }) => name)) => names.map((name) => join(folder, name));
const send = (page: Page) => page.getByRole('button', { name: /^Send(?: \d+ files?)?$/ });
const sent = (page: Page) => page.getByRole('heading', { name: /^Your (?:file has|\d+ files have) been sent/ });
const row = (page: Page, name: string) => page.locator('.upload', { hasText: name });

describe.each([
  { what: 'on a desktop', viewport: desktop, javaScriptEnabled: true },
  { what: 'at a phone', viewport: phone, javaScriptEnabled: true },
  { what: 'on a desktop without JavaScript', viewport: desktop, javaScriptEnabled: false },
  { what: 'at a phone without JavaScript', viewport: phone, javaScriptEnabled: false },
])('a contact $what', ({ viewport, javaScriptEnabled }) => {
  test('sends files back, and the account reads them byte for byte', async () => {
    const sentRequest = await requestFiles(client, {}, { ddmessage: 'Send me the figures', desttime: 5 });
    await using visitor = await visit(browser, { viewport, javaScriptEnabled });
    const { page } = visitor;
    await page.setContent(sentRequest.mail.email.html ?? '');
    await page.locator(`a[href="${sentRequest.link}"]`).first().click();
    await page.waitForURL(sentRequest.link);
    await page.getByRole('button').click();
    await page.waitForURL('**/upload/*/');
    expect(await page.locator('body').textContent()).toContain('Send me the figures');

    await page.locator('input[type=file]').first().setInputFiles(paths());
    await page.locator('textarea').fill('Here they are.\nAll of them.');
    await send(page).click({ timeout: 30_000 });
    await sent(page).waitFor({ timeout: 30_000 });
    await page.reload();
    await sent(page).waitFor();
    const said = await page.locator('main').textContent();
    for (const { name } of files) expect(said).toContain(name);
    expect(said).toContain('Scanned for viruses: nothing found');
    const time = await page.locator('time').first().getAttribute('datetime');
    expect(Math.abs(Date.now() - Date.parse(time ?? ''))).toBeLessThan(120_000);

    const entry = await waitForInbox(client, sentRequest.contact);
    expect(entry.ttl).toBe('5');
    expect(entry.files.map(({ name }) => name).toSorted()).toEqual(files.map(({ name }) => name).toSorted());
    for (const { name, content } of files) {
      const { body } = await client.download(entry.url, name);
      expect([name, sha256(body)]).toEqual([name, sha256(content)]);
    }
    expect(await inboxFrom(client, sentRequest.contact)).toHaveLength(1);
    expect((await client.readHistory()).history.map((drop) => drop.drop_type)).not.toContain('receivedfiles');
    expect(visitor.complaints).toEqual([]);
  });
});

test('the owner is told by mail who sent what, and the contact that it was sent', async () => {
  const owner = await freshClient('told');
  const sentRequest = await requestFiles(owner);
  await using visitor = await visit(browser);
  const { page } = visitor;
  await openPage(page, sentRequest.link);
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles(paths([files[1]?.name as string]));
  await page.locator('textarea').fill('With <b>love</b>');
  await send(page).click();
  await sent(page).waitFor({ timeout: 30_000 });
  const confirmation = await eventually('a confirmation', async () =>
    (await mailsTo(sentRequest.contact)).find(({ email }) => email.subject === `Your file was sent to ${owner.user}`),
  );
  for (const part of [confirmation.email.text, confirmation.email.html]) expect(part).toContain(files[1]?.name);
  const { email } = await waitForMail(owner.user);
  expect(email.subject).toContain(sentRequest.contact);
  expect(email.text).toContain('With <b>love</b>');
  expect(email.text).toContain(files[1]?.name);
});

test('a folder is taken with all that is in it, and what was added by mistake can be removed', async () => {
  const sentRequest = await requestFiles(client);
  await using visitor = await visit(browser);
  const { page } = visitor;
  await openPage(page, sentRequest.link);
  const tree = join(folder, 'tree');
  mkdirSync(join(tree, 'inner'), { recursive: true });
  writeFileSync(join(tree, 'a.txt'), 'outer');
  writeFileSync(join(tree, 'inner', 'a.txt'), 'inner');
  const announced: string[] = [];
  page.on('request', (request) => announced.push(pathIn(request.headers()['upload-metadata'])));
  await page.locator('input[type=file]').nth(1).setInputFiles(tree);
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles(paths([files[1]?.name as string]));
  await row(page, files[1]?.name as string)
    .getByRole('button', { name: /^Remove/ })
    .click();
  await row(page, 'tree/inner/a.txt').waitFor();
  await send(page).click();
  const entry = await waitForInbox(client, sentRequest.contact);
  expect(announced.filter(Boolean).toSorted()).toEqual(['tree/a.txt', 'tree/inner/a.txt']);
  const contents = await Promise.all(
    entry.files.map(async ({ name }) => [name, (await client.download(entry.url, name)).body.toString()] as const),
  );
  expect(contents.map(([name]) => name).toSorted()).toEqual(['a (2).txt', 'a.txt']);
  expect(contents.map(([, content]) => content).toSorted()).toEqual(['inner', 'outer']);
});

test('a file that is removed before the server has responded does not hold up the others', async () => {
  const sentRequest = await requestFiles(client);
  const [kept, mistake] = files.slice(0, 2).map(({ name }) => name) as [string, string];
  await using visitor = await visit(browser);
  const { page } = visitor;
  await openPage(page, sentRequest.link);
  const [opened, response] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route('**/tus', async (route, request) => {
    if (nameIn(request.headers()['upload-metadata']) !== mistake) return await route.continue();
    const reply = await route.fetch();
    opened.resolve();
    await response.promise;
    await route.fulfill({ response: reply }).catch(() => {});
  });
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles(paths([kept, mistake]));
  await opened.promise;
  await row(page, mistake)
    .getByRole('button', { name: /^Remove/ })
    .click();
  response.resolve();
  await send(page).click();
  // A browser that is closed while it opens a page, with requests held back, may never close.
  await sent(page).waitFor({ timeout: 30_000 });
  const entry = await waitForInbox(client, sentRequest.contact);
  expect(entry.files.map(({ name }) => name)).toEqual([kept]);
});

function nameIn(metadata = ''): string {
  return Buffer.from(/(?:^|,)filename (\S+?)(?:,|$)/.exec(metadata)?.[1] ?? '', 'base64').toString();
}

/** The path of a file, as an upload announces it. */
function pathIn(metadata = ''): string {
  return Buffer.from(/(?:^|,)path (\S+?)(?:,|$)/.exec(metadata)?.[1] ?? '', 'base64').toString();
}

test('a contact with a keyboard only chooses a file, writes and sends', async () => {
  const sentRequest = await requestFiles(client);
  await using visitor = await visit(browser);
  const { page } = visitor;
  const focusOn = async (name: string) => {
    for (let presses = 0; presses < 30; presses += 1) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate(() => {
        const element = document.activeElement as HTMLElement | null;
        const { width, height } = element?.getBoundingClientRect() ?? { width: 0, height: 0 };
        return { text: element?.innerText || element?.id, visible: width > 0 && height > 0 };
      });
      if (focused.text !== name) continue;
      expect(focused.visible).toBe(true);
      return;
    }
    throw new Error(`${name} is out of the keyboard's reach`);
  };
  await page.goto(sentRequest.link);
  await page.keyboard.press('Tab');
  await page.getByRole('button').focus();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/upload/*/');
  await page.getByRole('button', { name: 'Choose files' }).waitFor();
  // Waited for in advance: a file chooser that opens before the browser knows that it should hand it over is lost.
  const chooser = page.waitForEvent('filechooser');
  await focusOn('Choose files');
  await page.keyboard.press('Enter');
  await (await chooser).setFiles(paths([files[1]?.name as string]));
  await focusOn('message');
  await page.keyboard.type('By keyboard');
  await focusOn('Send 1 file');
  await page.keyboard.press('Enter');
  const entry = await waitForInbox(client, sentRequest.contact);
  expect(entry.files.map(({ name }) => name)).toEqual([files[1]?.name]);
});

describe('a contact on a slow connection, whose page is there before its script', () => {
  const slowPage = async (page: Page) => {
    const arrives = Promise.withResolvers<void>();
    await page.route('**/*.js', async (route) => {
      if (route.request().url().includes('upload')) await arrives.promise;
      await route.continue();
    });
    // Not openPage: the page is not loaded before its script is.
    await page.goto((await requestFiles(client)).link);
    await page.getByRole('button').click();
    const picker = page.locator('input[type=file]');
    await picker.waitFor();
    return { picker, scriptArrives: () => arrives.resolve() };
  };
  const { name = '' } = files[1] ?? {};

  test('keeps the files that were chosen', async () => {
    await using visitor = await visit(browser);
    const { page } = visitor;
    const { picker, scriptArrives } = await slowPage(page);
    await picker.setInputFiles(paths([name]));
    scriptArrives();
    await row(page, name).waitFor();
  });

  test('goes on writing the message', async () => {
    await using visitor = await visit(browser);
    const { page } = visitor;
    const { scriptArrives } = await slowPage(page);
    await page.locator('textarea').pressSequentially('Here they ');
    scriptArrives();
    await page.getByRole('button', { name: 'Choose files' }).waitFor();
    await page.keyboard.type('are');
    expect(await page.locator('textarea').inputValue()).toBe('Here they are');
  });

  test('can choose files while the script starts', async () => {
    await using visitor = await visit(browser);
    const { page } = visitor;
    const { picker, scriptArrives } = await slowPage(page);
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), picker.click()]);
    scriptArrives();
    await page.getByRole('button', { name: 'Choose files' }).waitFor();
    await chooser.setFiles(paths([name]));
    await row(page, name).waitFor();
  });
});

test('files can be dropped onto the page', async () => {
  const sentRequest = await requestFiles(client);
  await using visitor = await visit(browser);
  const { page } = visitor;
  await openPage(page, sentRequest.link);
  const data = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' }));
    return transfer;
  });
  await page.dispatchEvent('.drop', 'dragover', { dataTransfer: data });
  await page.dispatchEvent('.drop', 'drop', { dataTransfer: data });
  await send(page).click();
  const entry = await waitForInbox(client, sentRequest.contact);
  expect((await client.download(entry.url, 'dropped.txt')).body.toString()).toBe('dropped');
});

test('a paused file waits, and goes on when it is told to', async () => {
  const sentRequest = await requestFiles(client);
  await using visitor = await visit(browser);
  const { page, context } = visitor;
  await openPage(page, sentRequest.link);
  // Delayed at the server, so that there is time to press the button.
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  await context.route('**/tus/*', async (route) => {
    await opened;
    await route.continue();
  });
  const [{ name, content }] = files as [(typeof files)[0]];
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles(paths([name]));
  await row(page, name)
    .getByRole('button', { name: /^Pause/ })
    .click();
  await row(page, name).getByText('Paused').waitFor();
  open();
  await send(page).click();
  await page.getByText('A file is paused.').waitFor();
  await row(page, name)
    .getByRole('button', { name: /^Resume/ })
    .click();
  await sent(page).waitFor({ timeout: 30_000 });
  const entry = await waitForInbox(client, sentRequest.contact);
  expect(sha256((await client.download(entry.url, name)).body)).toBe(sha256(content));
});

test.each([{ javaScriptEnabled: true }, { javaScriptEnabled: false }])(
  'an infected file is refused and said so; the others can be sent (JavaScript: $javaScriptEnabled)',
  async ({ javaScriptEnabled }) => {
    const sentRequest = await requestFiles(client);
    await using visitor = await visit(browser, { javaScriptEnabled });
    const { page } = visitor;
    await openPage(page, sentRequest.link);
    writeFileSync(join(folder, 'bad.com'), eicar);
    const input = page.locator('input[type=file]').first();
    await input.setInputFiles(paths(['bad.com']));
    if (javaScriptEnabled)
      await row(page, 'bad.com')
        .getByText(/refused/i)
        .waitFor();
    else {
      await send(page).click();
      await page.getByText(/virus/i).waitFor();
    }
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles(paths([files[1]?.name as string]));
    if (javaScriptEnabled) await row(page, files[1]?.name as string).waitFor();
    await send(page).click();
    const entry = await waitForInbox(client, sentRequest.contact);
    expect(entry.files.map(({ name }) => name)).toEqual([files[1]?.name]);
  },
);

test('Send pressed at once waits for the check, and what is refused holds it back until the contact decides', async () => {
  const sentRequest = await requestFiles(client);
  await using visitor = await visit(browser);
  const { page } = visitor;
  await openPage(page, sentRequest.link);
  writeFileSync(join(folder, 'bad.com'), eicar);
  const good = files[1]?.name as string;
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles(paths(['bad.com', good]));
  await send(page).click();
  await row(page, 'bad.com')
    .getByText(/refused/i)
    .waitFor({ timeout: 30_000 });
  await row(page, good).getByText('Ready to send').waitFor();
  await page.locator('#intent', { hasText: 'nothing has been sent yet' }).waitFor();
  expect(await inboxFrom(client, sentRequest.contact)).toEqual([]);
  await page.getByRole('button', { name: 'Send 1 file' }).click();
  await sent(page).waitFor();
  const entry = await waitForInbox(client, sentRequest.contact);
  expect(entry.files.map(({ name }) => name)).toEqual([good]);
});

/**
 * Sets `noticeMs` to the time from the browser's event until the notice appears or goes. In the page, because a busy machine
 * tells the test of both much later.
 */
async function measureNotice(page: Page, event: 'offline' | 'online'): Promise<void> {
  await page.evaluate(`
    globalThis.noticeMs = undefined;
    addEventListener('${event}', () => {
      const began = performance.now();
      const look = () => {
        const isShown = document.querySelector('#connection') !== null;
        if (isShown === ${event === 'offline'}) noticeMs ??= performance.now() - began;
      };
      look();
      new MutationObserver(look).observe(document, { subtree: true, childList: true });
    }, { once: true });
  `);
}

test('that the network is gone is said within a second, and that it is back as well', async () => {
  await using visitor = await visit(browser);
  const { page, context } = visitor;
  await openPage(page, (await requestFiles(client)).link);
  // Held back, so that there is something under way.
  let held = 0;
  await context.route('**/tus/*', () => void (held += 1));
  await page.locator('input[type=file]').first().setInputFiles(paths());
  await eventually('two uploads are under way', async () => held === 2 || undefined);
  const notice = page.locator('#connection');
  await measureNotice(page, 'offline');
  await context.setOffline(true);
  await notice.getByText('You’re offline.').waitFor();
  expect(await page.evaluate('noticeMs')).toBeLessThan(1000);
  await measureNotice(page, 'online');
  await context.setOffline(false);
  await notice.waitFor({ state: 'detached' });
  expect(await page.evaluate('noticeMs')).toBeLessThan(1000);
  // A browser that takes itself to be online, and a server that does not respond.
  await context.unroute('**/tus/*');
  await context.route('**/tus/*', (route) => route.abort('connectionrefused'));
  await page.reload();
  await page.locator('input[type=file]').first().setInputFiles(paths());
  await notice.getByText('The server can’t be reached.').waitFor({ timeout: 10_000 });
});

test('of very many files a telephone shows what matters, with Send in view, and sends them all', async () => {
  const count = fullSize ? 500 : 60;
  const sentRequest = await requestFiles(client);
  await using visitor = await visit(browser, { viewport: phone });
  const { page } = visitor;
  await openPage(page, sentRequest.link);
  const many = join(folder, 'many');
  for (let index = 0; index < count; index += 1) {
    const inner = join(many, `folder ${index % 40}`);
    mkdirSync(inner, { recursive: true });
    writeFileSync(join(inner, `file ${index}.txt`), `content ${index}`);
  }
  await page.locator('input[type=file]').nth(1).setInputFiles(many);
  await row(page, 'many/folder 0').first().waitFor();
  expect(await page.locator('.upload').count()).toBeLessThanOrEqual(20);
  const shown = () =>
    page
      .locator('.upload-form > .bar .button-main')
      .evaluate((button) => button.getBoundingClientRect().bottom <= innerHeight && button.clientHeight > 0);
  for (const at of [0, 0.5, 1]) {
    await page.evaluate((part) => {
      const list = document.querySelector('.upload-form .files')?.getBoundingClientRect();
      scrollTo(0, scrollY + (list?.top ?? 0) - innerHeight / 2 + (list?.height ?? 0) * part);
    }, at);
    expect([at, await shown()]).toEqual([at, true]);
  }
  await send(page).click();
  await page.getByText(/files ready to send/).waitFor({ timeout: 60_000 });
  await sent(page).waitFor({ timeout: fullSize ? 300_000 : 90_000 });
  const entry = await waitForInbox(client, sentRequest.contact);
  expect(entry.files).toHaveLength(count);
}, 420_000);

test('what was uploaded is still there after the page was closed, and is sent with what comes later', async () => {
  const sentRequest = await requestFiles(client);
  await using visitor = await visit(browser);
  const { page, context } = visitor;
  await openPage(page, sentRequest.link);
  const [first, second] = files as [(typeof files)[0], (typeof files)[0]];
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles(paths([first.name]));
  await row(page, first.name).getByText('Ready to send').waitFor({ timeout: 30_000 });
  const later = await context.newPage();
  await later.goto(page.url());
  await page.close();
  await row(later, first.name).waitFor();
  await later
    .locator('input[type=file]')
    .first()
    .setInputFiles(paths([second.name]));
  await row(later, second.name).waitFor();
  await send(later).click({ timeout: 30_000 });
  const entry = await waitForInbox(client, sentRequest.contact);
  expect(entry.files.map(({ name }) => name).toSorted()).toEqual([first.name, second.name].toSorted());
});

test('a link that was revoked says so, and takes nothing more', async () => {
  const sentRequest = await requestFiles(client);
  await using visitor = await visit(browser);
  const { page } = visitor;
  await openPage(page, sentRequest.link);
  const [drop] = await query<{ id: string }>('select drop_id as id from links where email = $1', [sentRequest.contact]);
  await adminJson(['drops', 'revoke', drop?.id as string, '--account', client.user, '--json']);
  const reply = await page.reload();
  expect(reply?.status()).toBe(410);
  expect(await page.locator('h1').textContent()).toBe(`This link from ${client.user} has been disabled`);
});

describe('an upload link cannot read, and a download link cannot write', () => {
  test('neither kind opens the other’s page', async () => {
    const sentRequest = await requestFiles(client);
    const token = sentRequest.link.split('/').at(-1);
    expect((await fetch(`${demo().base_url}/d/${token}`)).status).toBe(404);
  });

  test('a contact sees no other contact’s files, nor with another’s cookie path', async () => {
    const [mine, other] = [await requestFiles(client), await requestFiles(client)];
    await using visitor = await visit(browser);
    await using stranger = await visit(browser);
    await openPage(visitor.page, mine.link);
    await openPage(stranger.page, other.link);
    await visitor.page
      .locator('input[type=file]')
      .first()
      .setInputFiles(paths([files[1]?.name as string]));
    await row(visitor.page, files[1]?.name as string)
      .getByText('Ready to send')
      .waitFor({ timeout: 30_000 });
    const seen = await stranger.page.evaluate(async (address) => {
      const own = await fetch('files');
      const foreign = await fetch(`${address}files`);
      return { own: await own.json(), foreign: foreign.status };
    }, visitor.page.url());
    expect(seen).toEqual({ own: [], foreign: 404 });
  });
});
