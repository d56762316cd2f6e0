import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { basename } from 'node:path';
import type { Page } from 'playwright-core';

interface Stored {
  readonly id: string;
  readonly name: string;
  readonly sizeBytes: number;
  offset: number;
}

const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'";
/** A file of this name stops arriving half-way, and one of that name is refused. */
const stuck = 'site-survey-film.mov';
const refused = 'setup.exe';

/** Serves the pages under the policy they will live under, and plays the server behind the upload page. */
export function createStage(assets: string, pages: ReadonlyMap<string, { html: string; mail: boolean }>): Server {
  let stored: Stored[] = [];
  return createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://stage').pathname;
    const page = pages.get(path.slice(1));
    if (page) {
      // Every visit begins with one file there and one interrupted.
      stored = [
        { id: 'a', name: 'Delivery note 2291.pdf', sizeBytes: 184_320, offset: 184_320 },
        { id: 'b', name: 'archive-2025.zip', sizeBytes: 812_000_000, offset: 498_000_000 },
      ];
      answer(response, 200, page.html, {
        'content-type': 'text/html; charset=utf-8',
        ...(page.mail ? {} : { 'content-security-policy': policy }),
      });
    } else if (path.startsWith('/assets/')) {
      const type = path.endsWith('.css') ? 'text/css' : path.endsWith('.svg') ? 'image/svg+xml' : 'text/javascript';
      answer(response, 200, readFileSync(`${assets}/${basename(path)}`), { 'content-type': type });
    } else if (path === '/u/files') {
      json(
        response,
        stored.map((file) => ({ ...file, complete: file.offset === file.sizeBytes })),
      );
    } else if (path === '/u/send') {
      json(response, { files: stored });
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
    const file = {
      id: String(stored.length + 1),
      name,
      sizeBytes: Number(request.headers['upload-length']),
      offset: 0,
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
      'upload-offset': String(file.offset),
      'upload-length': String(file.sizeBytes),
    });
  } else {
    request.on('data', (chunk: Buffer) => {
      file.offset += chunk.length;
      if (file.name === stuck && file.offset > file.sizeBytes / 3) request.pause();
    });
    request.on('end', () => answer(response, 204, '', { ...head, 'upload-offset': String(file.offset) }));
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

/** Files in every state: there, interrupted, under way, paused, refused. */
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
  await page.locator('.upload-complete', { hasText: 'notes.txt' }).waitFor();
  await page.waitForTimeout(1500);
}

/** The way of a contact who sends files: what does not work is removed, the rest is sent. */
export async function sendUpload(page: Page): Promise<void> {
  for (const state of ['failed', 'interrupted', 'uploading']) {
    await page.locator(`.upload-${state} button`).last().click();
    await page.locator(`.upload-${state}`).waitFor({ state: 'detached' });
  }
  await page.locator('.send button:enabled').click();
  await page.locator('.badge-good').waitFor();
}
