import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import type { Client } from '../lib/http/client.ts';
import { launchBrowser, visit } from '../lib/people/browser.ts';
import { openPage, requestFiles } from '../lib/people/contact.ts';
import { waitForMail } from '../lib/people/mailbox.ts';
import { sendFiles } from '../lib/people/receiver.ts';

let browser: Browser;
let client: Client;
beforeAll(async () => {
  [browser, client] = await Promise.all([launchBrowser(), freshClient('sender')]);
});
afterAll(() => browser.close());

/** Texts of a sender and names of files are shown literally, and have no effect (Gokapi: a file's name was a script). */
const texts = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  `"><svg onload=alert(1)>`,
  `'onmouseover='alert(1)`,
  '</title></textarea><iframe srcdoc="<script>alert(1)</script>">',
  '<style>*{display:none}</style>',
  '<meta http-equiv=refresh content="0;url=//example.org">',
  '{{7*7}} ${7*7} <%= 7*7 %> #{7*7} $t(common.from)',
  '&lt;b&gt; &amp; &#x3c;',
  'javascript:alert(1)',
  '=cmd|calc',
];

describe.each(texts)('%s', (text) => {
  test('is shown as it is in names, message and mail', async () => {
    const name = `${text.replaceAll(/[/\\"]/g, '_')}.txt`;
    const sent = await sendFiles(
      client,
      [
        { name, content: text },
        { name: 'b.html', content: text, type: 'text/html' },
      ],
      { nick: text, groups: [text] },
      { ddmessage: `${text}\r\nBcc: x@example.org\r\n\r\n${text}` },
    );
    await using visitor = await visit(browser);
    const { page } = visitor;
    await page.setContent(sent.mail.email.html ?? '');
    expect(await page.locator('body').innerText()).toContain(text);
    expect(await page.locator('script, iframe, svg, form, style:not(head style), [onerror], [onload]').count()).toBe(0);
    expect(sent.mail.email.text).toContain(text);

    await page.goto(sent.link);
    await page.getByRole('button').click();
    await page.waitForURL('**/download/*/');
    const names = await page.locator('.file-name').allInnerTexts();
    expect(names.toSorted()).toEqual([name, 'b.html'].toSorted());
    expect(await page.locator('main').innerText()).toContain(text);
    expect(
      await page.locator('main :is(script, iframe, img, style, meta), [onerror], [onload], [onmouseover]').count(),
    ).toBe(0);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('.file', { hasText: 'b.html' }).getByRole('link').click(),
    ]);
    expect(download.suggestedFilename()).toBe('b.html');
    expect(visitor.complaints).toEqual([]);
  });
});

describe.each(texts)('from a contact, %s', (text) => {
  test('is shown as it is on the upload page and in the mail to the owner', async () => {
    const owner = await freshClient('owner');
    const sentRequest = await requestFiles(owner, { nick: text }, { ddmessage: text });
    await using visitor = await visit(browser);
    const { page } = visitor;
    await openPage(page, sentRequest.link);
    expect(await page.locator('main').innerText()).toContain(text);
    const name = `${text.replaceAll(/[/\\"]/g, '_')}.txt`;
    const file = { name, mimeType: 'text/html', buffer: Buffer.from(text) };
    await page.locator('input[type=file]').first().setInputFiles([file]);
    await page.locator('textarea').fill(text);
    await page.getByRole('button', { name: 'Send 1 file' }).click({ timeout: 30_000 });
    await page.getByRole('heading', { name: 'Your file has been sent' }).waitFor();
    expect(await page.locator('main').innerText()).toContain(name);
    expect(await page.locator('main :is(iframe, img, style, meta), [onerror], [onload], [onmouseover]').count()).toBe(
      0,
    );
    expect(visitor.complaints).toEqual([]);

    const { email } = await waitForMail(owner.user);
    expect(email.text).toContain(text);
    expect(email.text).toContain(name);
    await page.setContent(email.html ?? '');
    expect(await page.locator('body').innerText()).toContain(text);
    expect(await page.locator('script, iframe, svg, form, style:not(head style), [onerror], [onload]').count()).toBe(0);
  });
});

test('text that turns the reading direction around turns nothing but itself', async () => {
  const sent = await sendFiles(
    client,
    [{ name: 'a.txt', content: 'a' }],
    {},
    { ddmessage: 'before \u202egnp.exe\u202c after \u2066x' },
  );
  await using visitor = await visit(browser);
  const { page } = visitor;
  await page.goto(sent.link);
  await page.getByRole('button').click();
  await page.waitForURL('**/download/*/');
  // The text after the message is laid out as usual: the file's name starts left of its end.
  const name = await page.locator('.file-name').evaluate((element) => {
    const range = document.createRange();
    const text = element.querySelector('bdi')?.firstChild as Text;
    const left = (at: number) => {
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      return range.getBoundingClientRect().left;
    };
    return [left(0), left(4)];
  });
  expect(name[0]).toBeLessThan(name[1] as number);
});

test('a language that is none is no trouble', async () => {
  const response = await client.addContacts([{ email: 'x@example.org', language: '<script>' }]);
  expect(response.status).toBe(400);
  const sent = await sendFiles(client, [{ name: 'a.txt', content: 'a' }], { language: 'tlh-Latn' });
  await using visitor = await visit(browser);
  await visitor.page.goto(`${sent.link}?lang=%22%3E%3Cscript%3Ealert(1)%3C/script%3E`);
  expect(await visitor.page.locator('html').getAttribute('lang')).toBe('en');
  await visitor.page.getByRole('button').click();
  await visitor.page.waitForURL('**/download/**');
  expect(visitor.complaints).toEqual([]);
});
