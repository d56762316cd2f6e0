// The second factor: in addition to the link, a code sent to the receiver's phone or mailbox.
import { createHash, randomBytes, randomInt } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import type { Client } from '../lib/http/client.ts';
import { desktop, launchBrowser, phone, visit } from '../lib/people/browser.ts';
import { openPage, requestFiles } from '../lib/people/contact.ts';
import { mailsTo } from '../lib/people/mailbox.ts';
import { readReceiverState, type Sent, sendFiles } from '../lib/people/receiver.ts';
import { codeIn, textsTo } from '../lib/people/sms.ts';
import { adminJson } from '../lib/servers/admin.ts';
import { query } from '../lib/servers/exchange-internals.ts';

const content = randomBytes(100_000);
const files = [{ name: 'secret.bin', content }];
const ownNumber = () => `4670${randomInt(1e7, 1e8)}`;

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

async function sender(factor: 'sms' | 'mail'): Promise<Client> {
  const client = await freshClient(factor);
  await adminJson(['accounts', 'set', '--email', client.user, '--second-factor', factor, '--json']);
  return client;
}

const typed = async (page: Page, code: string) => {
  await page.getByLabel('Six-digit code', { exact: true }).fill(code);
  await page.getByRole('button', { name: 'Continue' }).click();
};
const codeByMail = (receiver: string, nth = 1) =>
  codeIn(
    `code ${nth} for ${receiver}`,
    async () =>
      (await mailsTo(receiver))
        .filter(({ email }) => /code/i.test(email.subject ?? ''))
        .toSorted((a, b) => Date.parse(a.email.date ?? '') - Date.parse(b.email.date ?? ''))
        .map(({ email }) => email.text ?? ''),
    nth,
  );
const readPassed = async ({ receiver }: Sent) =>
  (
    await query<{ passed: boolean }>('select passed_at is not null as passed from links where email = $1', [receiver])
  )[0]?.passed;
const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

describe.each([
  { what: 'on a desktop', viewport: desktop, javaScriptEnabled: true },
  { what: 'on a phone', viewport: phone, javaScriptEnabled: true },
  { what: 'on a desktop without JavaScript', viewport: desktop, javaScriptEnabled: false },
  { what: 'on a phone without JavaScript', viewport: phone, javaScriptEnabled: false },
])('a receiver $what', ({ viewport, javaScriptEnabled }) => {
  test('types in the code from the carrier, and gets the file', async () => {
    const number = ownNumber();
    const sent = await sendFiles(await sender('sms'), files, { number });
    await using visitor = await visit(browser, { viewport, javaScriptEnabled });
    const { page } = visitor;
    await openPage(page, sent.link);
    expect(await page.locator('body').textContent()).toContain(`•••• ${number.slice(-3)}`);
    expect(await page.locator('body').textContent()).not.toContain('secret.bin');
    expect(await readPassed(sent)).toBe(false);
    await typed(page, await codeIn(`a code for ${number}`, () => textsTo(number)));
    await page.waitForURL('**/download/*/');
    expect(await readPassed(sent)).toBe(true);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('.file').getByRole('link').click(),
    ]);
    const hash = createHash('sha256');
    for await (const bytes of await download.createReadStream()) hash.update(bytes as Buffer);
    expect(hash.digest('hex')).toBe(createHash('sha256').update(content).digest('hex'));
    expect(visitor.complaints).toEqual([]);
  });
});

test('who has no number gets the code by mail', async () => {
  const sent = await sendFiles(await sender('sms'), files);
  await using visitor = await visit(browser);
  await openPage(visitor.page, sent.link);
  await typed(visitor.page, await codeByMail(sent.receiver));
  await visitor.page.locator('.file').waitFor();
});

test('a contact types in a code too before they can send', async () => {
  const client = await sender('mail');
  const sentRequest = await requestFiles(client);
  await using visitor = await visit(browser);
  const { page } = visitor;
  await openPage(page, sentRequest.link);
  expect(await page.locator('input[type=file]').count()).toBe(0);
  const refused = await page.evaluate(async () => {
    const tus = { 'Tus-Resumable': '1.0.0', 'Upload-Length': '1' };
    const responses = [fetch('files'), fetch('tus', { method: 'POST', headers: tus })];
    return (await Promise.all(responses)).map(({ status }) => status);
  });
  expect(refused).toEqual([403, 403]);
  await typed(page, await codeByMail(sentRequest.contact));
  await page.getByRole('button', { name: 'Choose files' }).waitFor();
});

test('while the code is pending, nothing of the drop can be had', async () => {
  const sent = await sendFiles(await sender('mail'), files);
  await using visitor = await visit(browser);
  const { page } = visitor;
  await openPage(page, sent.link);
  const [file] = await query<{ id: string }>(
    'select files.id from files join links on files.drop_id = links.drop_id where links.email = $1',
    [sent.receiver],
  );
  const statuses = await page.evaluate(
    async (paths) => Promise.all(paths.map(async (path) => (await fetch(path)).status)),
    [`files/${file?.id}/secret.bin`, 'all.zip'],
  );
  expect(statuses).toEqual([403, 403]);
  expect(await readReceiverState(sent)).toEqual({ opened: true, complete: false, deliveries: 0 });
});

test('a code is tried five times, and the right one is too late then', async () => {
  const sent = await sendFiles(await sender('mail'), files);
  await using visitor = await visit(browser);
  const { page } = visitor;
  await openPage(page, sent.link);
  const code = await codeByMail(sent.receiver);
  for (const left of ['4 tries', '3 tries', '2 tries', '1 try']) {
    await typed(page, wrong(code));
    await page.getByText(`You have ${left} left.`).waitFor();
  }
  await typed(page, wrong(code));
  await page.getByText('The code was wrong too many times').waitFor();
  // The form is gone from the page; posting it by hand does not help.
  const status = await page.evaluate(
    async (right) => (await fetch('code', { method: 'POST', body: new URLSearchParams({ code: right }) })).status,
    code,
  );
  expect(status).toBe(403);
  expect(await readPassed(sent)).toBe(false);
  await page.getByRole('button', { name: 'Send a new code' }).click();
  await typed(page, await codeByMail(sent.receiver, 2));
  await page.locator('.file').waitFor();
});

test('a link has five codes an hour, however many browsers ask', async () => {
  const sent = await sendFiles(await sender('mail'), files);
  await using visitor = await visit(browser);
  await using another = await visit(browser);
  await openPage(visitor.page, sent.link);
  for (let code = 2; code <= 5; code += 1) {
    await visitor.page.getByRole('button', { name: 'Send a new code' }).click();
    await visitor.page.waitForLoadState();
    await codeByMail(sent.receiver, code);
  }
  await visitor.page.getByRole('button', { name: 'Send a new code' }).click();
  await visitor.page.getByText('requested many codes').waitFor();
  await openPage(another.page, sent.link);
  await another.page.getByText('requested many codes').waitFor();
  expect((await mailsTo(sent.receiver)).filter(({ email }) => /code/i.test(email.subject ?? ''))).toHaveLength(5);
});

test('a code works once, in the browser that asked for it, for ten minutes', async () => {
  const sent = await sendFiles(await sender('mail'), files);
  await using visitor = await visit(browser);
  await using another = await visit(browser);
  await openPage(visitor.page, sent.link);
  const code = await codeByMail(sent.receiver);
  await openPage(another.page, sent.link);
  const others = await codeByMail(sent.receiver, 2);
  await typed(another.page, code === others ? wrong(code) : code);
  await another.page.getByText('That code isn’t right').waitFor();
  await typed(visitor.page, code);
  await visitor.page.locator('.file').waitFor();
  await query(
    `update link_sessions set code_expires_at = now() - interval '1 second'
     where code_id is not null and drop_id = (select drop_id from links where email = $1)`,
    [sent.receiver],
  );
  await typed(another.page, others);
  await another.page.getByText('This code has expired').waitFor();
});

test('neither the database nor a log has the code', async () => {
  const sent = await sendFiles(await sender('mail'), files);
  await using visitor = await visit(browser);
  await openPage(visitor.page, sent.link);
  const code = await codeByMail(sent.receiver);
  const [found] = await query<{ rows: string }>(
    `select (select json_agg(m)::text from messages m join links l on l.account_id = m.account_id
        and l.drop_id = m.drop_id where l.email = $1)
      || (select json_agg(s)::text from link_sessions s join links l on l.drop_id = s.drop_id where l.email = $1) as rows`,
    [sent.receiver],
  );
  expect(found?.rows).toContain('code_id');
  // As a separate word, so that digits in an id or a time are not mistaken for it.
  expect(found?.rows).not.toMatch(new RegExp(`(?<![0-9a-f])${code}(?![0-9a-f])`));
});
