import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { scripts } from '../../server/src/web/shared/asset-sources.ts';
import { launchBrowser } from '../shared/browser.ts';
import { policy } from './stage.ts';

/** Plays the server behind a screen of the app: its page, its events, and whether somebody is signed in. */
const server = createServer((request, response) => {
  const { pathname, search } = new URL(request.url ?? '/', 'http://stage');
  if (pathname === '/script.js') {
    response.setHeader('content-type', 'text/javascript').end(script);
  } else if (pathname === '/events') {
    opened.push(search);
    if (!isSignedIn) response.writeHead(401).end();
    else {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 50\nid: 1\n\n');
      streams.add(response);
      response.once('close', () => streams.delete(response));
    }
  } else {
    loads += 1;
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy });
    response.end(toPage());
  }
});
const streams = new Set<ServerResponse>();
let opened: string[] = [];
let loads = 0;
let isSignedIn = true;
let rows: string[] = [];
let newest = '';
let script = '';
let browser: Browser;
let page: Page;

const toPage =
  () => `<!doctype html><html lang="en"><head><title>Live</title><script type="module" src="/script.js"></script></head>
  <body><span id="unread" data-live="inbox.">${rows.length}</span>
  <main data-events="/events?after=7">
    <div data-shown-offline hidden>offline</div>
    <div data-shown-ended hidden>ended</div>
    <label>Note <input name="note"></label>
    <section id="rows" data-live>
      <label>Filter <input name="filter"></label>
      <ul>${rows.map((row) => `<li data-row="${row}"><a href="#${row}">${row}</a><details data-menu><summary>More ${row}</summary>menu</details></li>`).join('')}</ul>
    </section>
    <section id="log" data-live="drop."><p data-newest>${newest}</p></section>
    <section id="request" data-live="request. d7">${rows.length} rows</section>
  </main>
  <p role="status" data-live data-received="New files" data-changed="Updated"></p>
  <a href="#send" data-key="c">Send</a>
  <button type="button" command="show-modal" commandfor="keys" data-key="?">Keys</button>
  <div class="toasts"><p class="toast">Saved</p><p class="toast">Revoked <button type="button">Undo</button></p></div>
  <dialog id="keys">All keys</dialog></body></html>`;

function tell(type: string, id = 'd1'): void {
  for (const stream of streams) stream.write(`id: 2\ndata: ${JSON.stringify({ type, id })}\n\n`);
}

describe('a live page', () => {
  beforeAll(async () => {
    browser = await launchBrowser();
    const built = (await build({
      configFile: false,
      root: fileURLToPath(new URL('../../server', import.meta.url)),
      logLevel: 'error',
      build: { write: false, modulePreload: false, rollupOptions: { input: scripts.frame } },
    })) as Rolldown.RolldownOutput;
    script = built.output.find((file) => file.type === 'chunk')?.code ?? '';
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });
  afterAll(async () => {
    await browser.close();
    server.closeAllConnections();
    server.close();
  });
  afterEach(() => page.close());

  async function open(...first: string[]): Promise<void> {
    rows = first;
    newest = '';
    isSignedIn = true;
    opened = [];
    page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await expect.poll(() => streams.size).toBe(1);
    loads = 0;
  }
  const links = () => page.locator('#rows a').allTextContents();
  const focused = () => page.evaluate('document.activeElement.textContent');

  test('changes the parts that differ, and leaves focus, fields and menus as they are', async () => {
    await open('b', 'c');
    expect(opened).toEqual(['?after=7']);
    await page.getByLabel('Note').fill('a note');
    await page.getByLabel('Filter').fill('a filter');
    await page.getByText('More c').click();
    await page.getByRole('link', { name: 'c' }).focus();
    await page.evaluate('document.querySelector("[data-row=c]").mark = "the same element"');
    rows = ['a', 'c', 'd'];
    tell('drop.opened');
    await expect.poll(links).toEqual(['a', 'c', 'd']);
    expect(await focused()).toBe('c');
    expect(await page.evaluate('document.querySelector("[data-row=c]").mark')).toBe('the same element');
    expect(await page.locator('[data-row=c] details').getAttribute('open')).toBe('');
    expect(await page.getByLabel('Filter').inputValue()).toBe('a filter');
    expect(await page.getByLabel('Note').inputValue()).toBe('a note');
    expect(await page.getByRole('status').textContent()).toBe('Updated');
    expect(await page.locator('#unread').textContent(), 'is about the inbox alone').toBe('2');
    expect(await page.locator('#request').textContent(), 'is about a request').toBe('2 rows');
  });

  test('says what happened, if the page has a history', async () => {
    await open('a');
    newest = 'Bo opened the page';
    tell('drop.opened');
    await expect.poll(() => page.getByRole('status').textContent()).toBe('Bo opened the page');
  });

  test('changes a part that is about one subject only with it', async () => {
    await open('a');
    rows = ['a', 'b'];
    tell('inbox.received', 'd7');
    await expect.poll(() => page.locator('#unread').textContent()).toBe('2');
    expect(await page.locator('#request').textContent()).toBe('2 rows');
    expect(await page.getByRole('status').textContent()).toBe('New files');
  });

  test('keeps the keyboard where it was when the row that had the focus is gone', async () => {
    await open('a', 'b');
    await page.getByRole('link', { name: 'b' }).focus();
    rows = ['a'];
    tell('drop.revoked');
    await expect.poll(links).toEqual(['a']);
    expect(await page.evaluate('document.activeElement.id')).toBe('rows');
  });

  test('is loaded again a few times, however much happens', async () => {
    await open('a');
    rows = ['a', 'b'];
    for (let count = 0; count < 200; count += 1) tell('drop.opened');
    await expect.poll(links).toEqual(['a', 'b']);
    expect(loads).toBeLessThanOrEqual(2);
  });

  test('connects again by itself, after the last event that it got', async () => {
    await open('a');
    const reconnected = page.waitForRequest((request) => request.url().includes('/events'));
    for (const stream of streams) stream.end();
    await reconnected;
    await expect.poll(() => streams.size).toBe(1);
    rows = ['a', 'b'];
    tell('drop.opened');
    await expect.poll(links).toEqual(['a', 'b']);
    expect(await page.getByText('ended', { exact: true }).isVisible()).toBe(false);
  });

  test('says when nobody is signed in any more, and keeps what was written', async () => {
    await open('a');
    await page.getByLabel('Note').fill('a note');
    isSignedIn = false;
    for (const stream of streams) stream.destroy();
    await page.getByText('ended', { exact: true }).waitFor();
    expect(await page.getByLabel('Note').inputValue()).toBe('a note');
  });

  test('takes a notice away after a while, unless it offers something to do', async () => {
    page = await browser.newPage();
    await page.clock.install();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect(await page.getByText('Saved').isVisible()).toBe(true);
    await page.clock.fastForward(60_000);
    await page.getByText('Saved').waitFor({ state: 'detached' });
    expect(await page.getByText('Undo').isVisible()).toBe(true);
  });

  test('says when the network is gone, and when it is back', async () => {
    await open('a');
    const banner = page.getByText('offline', { exact: true });
    await page.context().setOffline(true);
    await banner.waitFor();
    await page.context().setOffline(false);
    await banner.waitFor({ state: 'hidden' });
  });

  test('is operated by keys, unless somebody is writing', async () => {
    await open('a', 'b', 'c');
    for (const [key, row] of [
      ['j', 'a'],
      ['j', 'b'],
      ['j', 'c'],
      ['k', 'b'],
    ] as const) {
      await page.keyboard.press(key);
      expect(await focused()).toBe(row);
    }
    await page.keyboard.press('o');
    expect(new URL(page.url()).hash).toBe('#b');
    await page.getByLabel('Note').pressSequentially('cj?');
    expect(await page.getByLabel('Note').inputValue()).toBe('cj?');
    expect(new URL(page.url()).hash).toBe('#b');
    await page.getByRole('link', { name: 'c', exact: true }).focus();
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('c');
    expect(new URL(page.url()).hash, 'in a dialog').toBe('#b');
    await page.keyboard.press('Escape');
    await page.keyboard.press('c');
    await expect.poll(() => new URL(page.url()).hash).toBe('#send');
  });
});
