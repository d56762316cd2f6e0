import { setTimeout } from 'node:timers/promises';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { demo } from '../servers/running-demo.ts';

export { launchBrowser } from '../../../tools/shared/browser.ts';

export const phone = { width: 390, height: 844 };
export const desktop = { width: 1280, height: 800 };

/** A browser of its own, and everything that went wrong in it. */
export interface Visitor extends AsyncDisposable {
  context: BrowserContext;
  page: Page;
  /** Requests to another origin, dialogs, errors and what the content security policy blocked. */
  complaints: string[];
}

/** The address of the demo for people with an account: passkeys belong to a name, not to an IP address. */
export const appUrl = () => demo().base_url.replace('127.0.0.1', 'localhost');

export async function visit(
  browser: Browser,
  options: BrowserContextOptions = {},
  baseUrl = demo().base_url,
): Promise<Visitor> {
  const context = await browser.newContext({ viewport: desktop, reducedMotion: 'reduce', locale: 'en-GB', ...options });
  const complaints: string[] = [];
  const { origin } = new URL(baseUrl);
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin) complaints.push(`a request to ${url.origin}`);
  });
  context.on('page', (page) => {
    page.on('dialog', (dialog) => {
      // The browser itself asks this when a page is left while files are being uploaded.
      if (dialog.type() === 'beforeunload') {
        void dialog.accept();
        return;
      }
      complaints.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('pageerror', (error) => complaints.push(`an error: ${error.message}`));
    page.on('console', (message) => {
      // Some tests are about links that have ended; the browser reports that as an error.
      const expected = /status of (?:404|410)/.test(message.text());
      if (message.type() === 'error' && !expected) complaints.push(message.text());
    });
  });
  const page = await context.newPage();
  // Chromium may never close a page that is on its way to another one; it ends with the browser then.
  const close = () => Promise.race([context.close(), setTimeout(5000, undefined, { ref: false })]);
  return { context, page, complaints, [Symbol.asyncDispose]: close };
}
