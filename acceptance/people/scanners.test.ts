import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import type { Client } from '../lib/http/client.ts';
import { launchBrowser, type Visitor, visit } from '../lib/people/browser.ts';
import { requestFiles } from '../lib/people/contact.ts';
import { readReceiverState, type Sent, sendFiles, untouched } from '../lib/people/receiver.ts';

/** Mail gateways look at the links in a mail before its receiver does. Whatever they do, it has no effect. */
let browser: Browser;
let client: Client;
let sent: Sent;
let visitor: Visitor;
let page: Page;
beforeAll(async () => {
  [browser, client] = await Promise.all([launchBrowser(), freshClient('sender')]);
});
afterAll(() => browser.close());
beforeEach(async () => {
  visitor = await visit(browser);
  page = visitor.page;
});
afterEach(() => visitor[Symbol.asyncDispose]());

async function expectNothingHappened(): Promise<void> {
  await page.waitForLoadState('networkidle');
  expect(page.url()).not.toMatch(/\/(?:download|upload)\//);
  expect(await visitor.context.cookies()).toEqual([]);
  expect(await readReceiverState(sent)).toEqual(untouched);
}

describe.each([
  { what: 'a drop', send: () => sendFiles(client, [{ name: 'a.txt', content: 'content' }]) },
  { what: 'a request', send: (): Promise<Sent> => requestFiles(client) },
])('the link of $what', ({ send }) => {
  beforeEach(async () => {
    sent = await send();
  });

  describe('a scanner that', () => {
    test('fetches the link, again and again, by GET and HEAD', async () => {
      for (const method of ['GET', 'HEAD', 'GET', 'HEAD']) {
        const response = await fetch(sent.link, { method });
        expect(response.status).toBe(200);
        expect(response.headers.get('set-cookie')).toBeNull();
        await response.text();
      }
      await expectNothingHappened();
    });

    test('follows every address of the mail and of the page', async () => {
      const mailed = [...`${sent.mail.email.html}`.matchAll(/href="([^"]+)"/g)].map((match) => match[1] as string);
      expect(mailed).toContain(sent.link);
      await page.goto(sent.link);
      const links = await page.locator('[href], [src], [action]').evaluateAll((elements) =>
        elements.map((element) => {
          const { href, src, action } = element as unknown as Record<string, string | undefined>;
          return href ?? src ?? action ?? '';
        }),
      );
      expect(links.length).toBeGreaterThan(4);
      for (const link of new Set([...mailed, ...links])) await (await fetch(link)).text();
      await expectNothingHappened();
    });

    test.each([
      ['submits the form', 'document.forms[0].submit()'],
      [
        'submits the form as its button would',
        'document.forms[0].requestSubmit(document.querySelector("form button"))',
      ],
      ['clicks the button', 'document.querySelector("form button").click()'],
      [
        'plays a whole press',
        `for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'])
         document.querySelector('form button').dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true }))`,
      ],
      [
        'presses Enter',
        `document.querySelector('form button').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))`,
      ],
    ])('runs scripts and %s', async (_what, script) => {
      await page.goto(sent.link);
      await page.evaluate(script);
      await expectNothingHappened();
    });

    test.each([
      ['as the page has it', { gesture: '' }],
      ['with its field filled by a script', { gesture: 'script' }],
      ['with nothing in it', {}],
      ['with a guess', { gesture: 'true' }],
    ])('posts the form by itself, %s', async (_what, fields) => {
      const response = await fetch(sent.link, {
        method: 'POST',
        body: new URLSearchParams(fields),
        redirect: 'manual',
      });
      expect([response.status, response.headers.get('set-cookie')]).toEqual([200, null]);
      await expectNothingHappened();
    });

    test('posts the form from a page of its own', async () => {
      await page.setContent(
        `<form method="post" action="${sent.link}"><input name="gesture" value="pressed"><button>Go</button></form>`,
      );
      await page.getByRole('button').click();
      await page.waitForURL(sent.link);
      await expectNothingHappened();
    });
  });

  test('after a scanner, the person finds everything as it was', async () => {
    await page.goto(sent.link);
    await page.evaluate('document.querySelector("form button").click()');
    await page.waitForLoadState('networkidle');
    await page.goto(sent.link);
    await page.getByRole('button').click();
    await page.waitForURL(/\/(?:download|upload)\/[^/]+\/$/);
    expect(await readReceiverState(sent)).toMatchObject({ opened: true });
  });

  test('a person whose browser cannot vouch for them types a word', async () => {
    await page.goto(sent.link);
    await page.evaluate('document.forms[0].submit()');
    await page.getByRole('textbox').waitFor();
    await page.getByRole('textbox').fill('nonsense');
    await page.getByRole('button').click();
    await page.locator('[aria-invalid]').waitFor();
    expect(await readReceiverState(sent)).toEqual(untouched);
    await page.getByRole('textbox').fill('open');
    await page.getByRole('button').click();
    await page.waitForURL(/\/(?:download|upload)\/[^/]+\/$/);
    expect(visitor.complaints).toEqual([]);
  });
});
