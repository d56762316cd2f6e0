import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import type { DraftFile } from '../../server/src/domain/uploads/upload-store.ts';

type Stored = { -readonly [key in keyof DraftFile]: DraftFile[key] };

export const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'";
/**
 * A file with the first name stops half-way, one with the second is refused at once, and one with the third takes long
 * to check.
 */
export const stuck = 'site-survey-film.mov';
const refused = 'setup.exe';
const slow = 'contract-signed-by-both-parties.pdf';

/** Serves the pages under their real content security policy, and plays the server behind the upload page. */
export function createStage(
  assets: string,
  pages: ReadonlyMap<string, { html: string; mail: boolean }>,
  brandFiles: Readonly<Record<string, string>> = {},
): Server {
  let stored: Stored[] = [];
  return createServer((request, response) => {
    const { pathname: path, searchParams } = new URL(request.url ?? '/', 'http://stage');
    const page = pages.get(path.slice(1));
    if (page) {
      // A visit may begin with a file in each state that an earlier visit can leave.
      const isLater = path === '/upload-island' || path === '/upload-island-folder';
      const earlier: Stored[] = [
        { ...toStored('a', 'Delivery note 2291.pdf', 184_320, 'ready'), scan: 'clean' },
        { ...toStored('b', 'archive-2025.zip', 812e6, 'uploading'), receivedBytes: 498e6 },
        toStored('c', slow, 2_411_724, 'checking'),
        { ...toStored('d', 'invoice.pdf.scr', 91_204, 'refused'), refusal: 'infected' },
        { ...toStored('e', 'Certificates.zip', 812_204, 'refused'), refusal: 'encrypted' },
      ];
      // The composer goes on after it was loaded again.
      if (path !== '/app-send') stored = isLater ? earlier : [];
      reply(response, 200, page.html, {
        'content-type': 'text/html; charset=utf-8',
        ...(page.mail ? {} : { 'content-security-policy': policy }),
      });
    } else if (path.startsWith('/assets/')) {
      const type = path.endsWith('.css') ? 'text/css' : path.endsWith('.svg') ? 'image/svg+xml' : 'text/javascript';
      reply(response, 200, readFileSync(`${assets}/${basename(path)}`), { 'content-type': type });
    } else if (brandFiles[path] !== undefined) {
      const type = path.endsWith('.css') ? 'text/css' : 'image/svg+xml';
      reply(response, 200, brandFiles[path], { 'content-type': type });
    } else if (path === '/specimens.css') {
      reply(response, 200, readFileSync(new URL('specimens.css', import.meta.url)), { 'content-type': 'text/css' });
    } else if (path === '/passkey/options') {
      json(response, { challenge: 'Y2hhbGxlbmdl', userVerification: 'required' });
    } else if (path.endsWith('/receivers')) {
      json(response, understood);
    } else if (path.endsWith('/uploads') && request.method === 'GET') {
      const ids = searchParams.get('ids')?.split(',') ?? [];
      const files = [...composed, ...stored].filter(({ id }) => ids.includes(id));
      json(response, { csrf: 'a1b2c3', draftKey: 'example', files });
      checkAll(stored);
    } else if (path.includes('/uploads')) {
      stored = tus(request, response, stored, path.replace(/\/uploads.*/, '/uploads'));
    } else if (path === '/u/files') {
      json(response, stored);
      checkAll(stored);
    } else if (path === '/u/send') {
      json(response, { files: [] });
    } else if (path === '/u/plain') {
      reply(response, 303, '', { location: '/sent' });
    } else if (path.startsWith('/u/tus')) {
      stored = tus(request, response, stored, '/u/tus');
    } else {
      // A browser requests /favicon.ico if a mail names no icon.
      reply(response, path === '/favicon.ico' ? 204 : 404, '', {});
    }
  });
}

/** How the server understands the receivers of the composer. */
const understood = {
  receivers: [
    { email: 'kim.park@northwind.example', name: 'Kim Park', hasPhone: true },
    { email: 't.ortega@northwind.example', name: 'Tomás Ortega', hasPhone: true },
    { email: 'j.haddad@fjord-survey.example', name: '', hasPhone: false },
  ],
  repeated: [],
  unreadable: [],
  nearMisses: [{ email: 'j.haddad@fjord-survey.example', meant: 'j.haddad@fjord-surveys.example' }],
  people: [{ email: 'ines@albrecht-legal.example', name: 'Ines Albrecht', hasPhone: false }],
  groups: [{ name: 'Auditors', size: 3 }],
};

/** The files that the composer already has. */
const composed: Stored[] = [
  {
    ...toStored(
      '0199c1d2-7f00-7000-8000-000000000001',
      'Structural inspection 2291, north wing (signed).pdf',
      18.4e6,
      'ready',
    ),
    scan: 'clean',
  },
  { ...toStored('0199c1d2-7f00-7000-8000-000000000002', 'Delivery note 2291.pdf', 52e3, 'ready'), scan: 'clean' },
];

function toStored(id: string, name: string, sizeBytes: number, state: Stored['state']): Stored {
  return {
    id,
    name,
    path: name,
    sizeBytes,
    receivedBytes: sizeBytes,
    state,
    scan: null,
    unscannedReason: null,
    refusal: null,
  };
}

/** Finishes the checks of the files that have arrived. */
function checkAll(stored: readonly Stored[]): void {
  for (const file of stored) {
    if (file.state !== 'checking' || file.name === slow) continue;
    file.state = 'ready';
    file.scan = file.name.endsWith('.dwg') ? 'unscanned' : 'clean';
  }
}

function tus(request: IncomingMessage, response: ServerResponse, stored: Stored[], path: string): Stored[] {
  const head = { 'tus-resumable': '1.0.0' };
  if (request.method === 'POST') {
    const metadata = String(request.headers['upload-metadata']);
    const told = (key: string) =>
      Buffer.from(new RegExp(`\\b${key} ([^\\s,]+)`).exec(metadata)?.[1] ?? '', 'base64').toString();
    const name = told('filename');
    if (name === refused) {
      reply(response, 415, '', head);
      return stored;
    }
    const size = Number(request.headers['upload-length']);
    const file = toStored(String(stored.length + 1), name, size, 'uploading');
    file.receivedBytes = 0;
    file.path = told('path') || name;
    reply(response, 201, '', { ...head, location: `${path}/${file.id}`, 'upload-offset': '0' });
    return [...stored, file];
  }
  const file = stored.find(({ id }) => id === basename(request.url ?? ''));
  if (!file) {
    reply(response, 404, '', head);
  } else if (request.method === 'DELETE') {
    reply(response, 204, '', head);
    return stored.filter((other) => other !== file);
  } else if (request.method === 'HEAD') {
    reply(response, 200, '', {
      ...head,
      'upload-offset': String(file.receivedBytes),
      'upload-length': String(file.sizeBytes),
    });
  } else {
    request.on('data', (chunk: Buffer) => {
      file.receivedBytes += chunk.length;
      if (file.name === stuck && file.receivedBytes > file.sizeBytes / 3) request.pause();
    });
    request.on('end', () => {
      if (file.receivedBytes === file.sizeBytes) file.state = 'checking';
      reply(response, 204, '', { ...head, 'upload-offset': String(file.receivedBytes) });
    });
  }
  return stored;
}

function reply(response: ServerResponse, status: number, body: string | Buffer, headers: Record<string, string>): void {
  response.writeHead(status, headers).end(body);
}

function json(response: ServerResponse, value: unknown): void {
  reply(response, 200, JSON.stringify(value), { 'content-type': 'application/json' });
}

/** Files in every state: ready, interrupted, being checked, refused by the check or at the door, under way. */
async function playUpload(page: Page): Promise<void> {
  const file = (name: string, size: number) => ({
    name,
    mimeType: 'application/octet-stream',
    buffer: Buffer.alloc(size, 1),
  });
  await page.locator('.upload', { hasText: 'archive-2025.zip' }).waitFor();
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles([
      file('measurements.xlsx', 52_111),
      file(stuck, 24_000_000),
      file(refused, 4000),
      file('drawings-rev-c.dwg', 7_340_032),
      file('notes.txt', 900),
    ]);
  await page.locator('.upload-failed').waitFor();
  await page.locator('.upload-ready', { hasText: 'notes.txt' }).waitFor();
  await page.waitForTimeout(1500);
}

/** Files that cannot be sent are removed, and "Send" is pressed while the rest is still on its way. */
async function pressSend(page: Page): Promise<void> {
  await removeAll(page, ['failed', 'interrupted', 'refused']);
  await mainButton(page).click();
  await page.locator('#intent').waitFor();
}

async function goOffline(page: Page): Promise<void> {
  await page.context().setOffline(true);
  await page.locator('#connection').waitFor();
}

async function tidyUpload(page: Page): Promise<void> {
  await page.context().setOffline(false);
  await page.locator('#connection').waitFor({ state: 'detached' });
  await page.locator('#intent button').click();
  await removeAll(page, ['uploading', 'checking']);
  await mainButton(page).waitFor();
}

async function sendUpload(page: Page): Promise<void> {
  await mainButton(page).click();
  await page.locator('.badge-good').waitFor();
}

async function removeAll(page: Page, states: readonly string[]): Promise<void> {
  for (const state of states) {
    for (const rows = page.locator(`.upload-${state}`); (await rows.count()) > 0; ) {
      const count = await rows.count();
      await rows.first().locator('button').last().click();
      await rows.nth(count - 1).waitFor({ state: 'detached' });
    }
  }
}

function mainButton(page: Page): Locator {
  return page.locator('.upload-form > .bar .button-main');
}

/** Chooses files on a page without any. */
async function chooseFiles(page: Page, names: readonly string[], size = 4000): Promise<void> {
  await page.locator('.drop .button-main').waitFor();
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles(
      names.map((name) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.alloc(size, 1) })),
    );
  await page.locator('.upload').first().waitFor();
}

/** Two files that can be sent, and two that are too large. */
async function chooseTooLarge(page: Page): Promise<void> {
  await chooseFiles(page, ['Delivery note 2291.pdf', 'Delivery note 2292.pdf'], 900);
  await page.locator('.upload-ready').nth(1).waitFor();
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles(
      ['Walkthrough 1.mp4', 'Walkthrough 2.mp4'].map((name) => ({
        name,
        mimeType: 'video/mp4',
        buffer: Buffer.alloc(4000),
      })),
    );
  await page.locator('.stopped .upload').nth(1).waitFor();
}

export const sixtyNames = Array.from(
  { length: 60 },
  (_, index) => `Photograph of the northern façade and the scaffolding, taken on 3 November, ${index + 1}.jpeg`,
);

/** A folder with many files, most of which have arrived. */
async function playFolder(page: Page): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gallery-'));
  try {
    for (let index = 0; index < 120; index += 1) {
      const inner = join(folder, 'Site survey 2026', `Building ${Math.floor(index / 20) + 1}`);
      mkdirSync(inner, { recursive: true });
      const name = index === 0 ? stuck : `Photograph of the northern façade, number ${index}.jpeg`;
      writeFileSync(join(inner, name), Buffer.alloc(index === 0 ? 24_000_000 : 5000, 1));
    }
    await page.locator('.upload', { hasText: 'archive-2025.zip' }).waitFor();
    await page.locator('input[type=file]').nth(1).setInputFiles(join(folder, 'Site survey 2026'));
    await page.locator('.folded', { hasText: /\b120\b/ }).waitFor();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The files that are ready, in their folders, of which one is open. */
async function openReadyFolder(page: Page): Promise<void> {
  await page.locator('.folded > summary').click();
  await page.locator('.folded .folder > summary').first().click();
  await page.locator('.folded .folder .folder > summary').first().click();
}

async function openRowMenu(page: Page): Promise<void> {
  await page.locator('.row-menu-button').first().click();
}

/** Files of the composer: ready, under way, and refused at the door. */
async function playComposer(page: Page): Promise<void> {
  await page.locator('.composer-files').waitFor();
  await page
    .locator('.composer-files input[type=file]')
    .first()
    .setInputFiles(
      [
        ['Delivery note 2291.pdf', 52_111],
        [stuck, 12_000_000],
        [refused, 4000],
      ].map(([name, size]) => ({
        name: String(name),
        mimeType: 'application/octet-stream',
        buffer: Buffer.alloc(Number(size), 1),
      })),
    );
  await page.locator('.upload-failed').waitFor();
  await page.locator('.upload-ready').waitFor();
  await page.locator('#send-bar progress').waitFor();
}

async function pauseUpload(page: Page): Promise<void> {
  await page.context().setOffline(false);
  await page.locator('#connection').waitFor({ state: 'detached' });
  await page.locator('.upload', { hasText: stuck }).locator('button').first().click();
  await page.locator('.upload-paused').waitFor();
}

/** A file of which the browser has no handle has to be chosen again. */
async function comeBack(page: Page): Promise<void> {
  await page.reload();
  await page.locator('.upload-interrupted').first().waitFor();
}

async function openMenu(page: Page): Promise<void> {
  await page.locator('details[data-menu] > summary').click();
}

async function typeReceiver(page: Page): Promise<void> {
  await page.locator('#receiver-input').fill('a');
  await page.locator('#receiver-options li').first().waitFor();
}

async function pasteReceivers(page: Page): Promise<void> {
  await page.locator('#receiver-input').fill('');
  await page.locator('#receiver-input').evaluate((input) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'kim.park@northwind.example, t.ortega@northwind.example');
    input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  });
  await page.locator('.pasted').waitFor();
}

async function changeName(page: Page): Promise<void> {
  await page.locator('#name').fill('Maya Elisabet Lindqvist');
}

/** The steps on the page with its script, one after the other; each gets its own picture. */
export const plays: Readonly<
  Record<string, readonly (readonly [state: string, act: (page: Page) => Promise<void>])[]>
> = {
  'upload-island': [
    ['mixed', playUpload],
    ['waiting', pressSend],
    ['offline', goOffline],
    ['ready', tidyUpload],
    ['sent', sendUpload],
  ],
  'app-components': [['menu', openRowMenu]],
  'app-send': [
    ['uploading', playComposer],
    ['offline', goOffline],
    ['paused', pauseUpload],
    ['again', comeBack],
  ],
  'frame-inbox': [['menu', openMenu]],
  'frame-foreign': [['menu', openMenu]],
  'app-send-filled': [
    ['suggestions', typeReceiver],
    ['pasted', pasteReceivers],
  ],
  'settings-person': [['unsaved', changeName]],
  'upload-island-folder': [
    ['many', playFolder],
    ['opened', openReadyFolder],
  ],
  'upload-island-sixty': [['chosen', (page) => chooseFiles(page, sixtyNames)]],
  'upload-island-leaving-out': [
    ['chosen', chooseTooLarge],
    ['asked', (page) => mainButton(page).click()],
  ],
  'upload-island-too-large': [['chosen', (page) => chooseFiles(page, ['Walkthrough of the site.mp4'], 2_140_000)]],
};
