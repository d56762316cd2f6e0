import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { basename } from 'node:path';
import type { Page } from 'playwright-core';

interface Stored {
  readonly id: string;
  readonly name: string;
  readonly sizeBytes: number;
  receivedBytes: number;
  state: 'uploading' | 'checking' | 'ready' | 'refused';
}

const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'";
/** A file of this name stops arriving half-way, one of that name is refused at the door, and one is checked for long. */
const stuck = 'site-survey-film.mov';
const refused = 'setup.exe';
const slow = 'contract-signed-by-both-parties.pdf';

/** Serves the pages under the policy they will live under, and plays the server behind the upload page. */
export function createStage(assets: string, pages: ReadonlyMap<string, { html: string; mail: boolean }>): Server {
  let stored: Stored[] = [];
  return createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://stage').pathname;
    const page = pages.get(path.slice(1));
    if (page) {
      // Every visit begins with a file in each state that an earlier one can leave.
      stored = [
        { id: 'a', name: 'Delivery note 2291.pdf', sizeBytes: 184_320, receivedBytes: 184_320, state: 'ready' },
        { id: 'b', name: 'archive-2025.zip', sizeBytes: 812e6, receivedBytes: 498e6, state: 'uploading' },
        { id: 'c', name: slow, sizeBytes: 2_411_724, receivedBytes: 2_411_724, state: 'checking' },
        { id: 'd', name: 'invoice.pdf.scr', sizeBytes: 91_204, receivedBytes: 91_204, state: 'refused' },
      ];
      answer(response, 200, page.html, {
        'content-type': 'text/html; charset=utf-8',
        ...(page.mail ? {} : { 'content-security-policy': policy }),
      });
    } else if (path.startsWith('/assets/')) {
      const type = path.endsWith('.css') ? 'text/css' : path.endsWith('.svg') ? 'image/svg+xml' : 'text/javascript';
      answer(response, 200, readFileSync(`${assets}/${basename(path)}`), { 'content-type': type });
    } else if (path === '/u/files') {
      json(response, stored);
      for (const file of stored) if (file.state === 'checking' && file.name !== slow) file.state = 'ready';
    } else if (path === '/u/send') {
      json(response, { files: stored.filter(({ state }) => state === 'ready') });
    } else if (path.startsWith('/u/tus')) {
      stored = tus(request, response, stored);
    } else {
      // A browser asks for /favicon.ico where a mail names no icon.
      answer(response, path === '/favicon.ico' ? 204 : 404, '', {});
    }
  });
}

function tus(request: IncomingMessage, response: ServerResponse, stored: Stored[]): Stored[] {
  const head = { 'tus-resumable': '1.0.0' };
  if (request.method === 'POST') {
    const metadata = String(request.headers['upload-metadata']);
    const name = Buffer.from(/filename (\S+?)(?:,|$)/.exec(metadata)?.[1] ?? '', 'base64').toString();
    if (name === refused) {
      answer(response, 415, '', head);
      return stored;
    }
    const file: Stored = {
      id: String(stored.length + 1),
      name,
      sizeBytes: Number(request.headers['upload-length']),
      receivedBytes: 0,
      state: 'uploading',
    };
    answer(response, 201, '', { ...head, location: `/u/tus/${file.id}`, 'upload-offset': '0' });
    return [...stored, file];
  }
  const file = stored.find(({ id }) => id === basename(request.url ?? ''));
  if (!file) {
    answer(response, 404, '', head);
  } else if (request.method === 'DELETE') {
    answer(response, 204, '', head);
    return stored.filter((other) => other !== file);
  } else if (request.method === 'HEAD') {
    answer(response, 200, '', {
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
      answer(response, 204, '', { ...head, 'upload-offset': String(file.receivedBytes) });
    });
  }
  return stored;
}

function answer(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: Record<string, string>,
): void {
  response.writeHead(status, headers).end(body);
}

function json(response: ServerResponse, value: unknown): void {
  answer(response, 200, JSON.stringify(value), { 'content-type': 'application/json' });
}

/** Files in every state: ready, interrupted, being checked, refused by the check or at the door, under way. */
export async function playUpload(page: Page): Promise<void> {
  const file = (name: string, size: number) => ({
    name,
    mimeType: 'application/octet-stream',
    buffer: Buffer.alloc(size, 1),
  });
  await page.getByText('archive-2025.zip').waitFor();
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

/** The way of a contact who sends files: what does not work is removed; what was refused may stay. */
export async function tidyUpload(page: Page): Promise<void> {
  for (const state of ['failed', 'interrupted', 'uploading', 'checking']) {
    await page.locator(`.upload-${state} button`).last().click();
    await page.locator(`.upload-${state}`).waitFor({ state: 'detached' });
  }
  await page.locator('.send button:enabled').waitFor();
}

export async function sendUpload(page: Page): Promise<void> {
  await page.locator('.send button:enabled').click();
  await page.locator('.badge-good').waitFor();
}
