import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useComposer } from '../../../../test/composer-browser.ts';

const { exchange, visit } = await useComposer();
const { query } = exchange.database;

const readSent = (accountId: string) =>
  query<{ receivers: string; files: string; title: string | null; message: string }>(
    `select (select string_agg(email, ' ' order by email) from links where drop_id = drops.id) as receivers,
            (select string_agg(name, ' ' order by name) from files where drop_id = drops.id) as files, title, message
       from drops where account_id = $1 order by created_at`,
    [accountId],
  );

const get = (page: Page, path: string) =>
  page.evaluate(async (href) => {
    const response = await fetch(href, { headers: { accept: 'text/html' } });
    return { status: response.status, body: await response.text() };
  }, path);

test('a delivery is sent again from its page, without a file of it if that is left out', async () => {
  const visitor = await visit();
  const { account } = visitor.member;
  const email = `${account.accountId.slice(0, 8)}@example.org`;
  await exchange.engines.store.contacts.replace(account.accountId, [
    { email, name: '', phone: '', language: '', groups: [] },
  ]);
  const dropId = await exchange.drop(account, [email], ['a.txt', 'b.txt', 'c.txt']);
  await query(`update drops set title = 'The plans' where id = $1`, [dropId]);
  const { base } = visitor.member;
  const page = await visitor.open(`?again=${dropId}`);
  // The page of the delivery leads here.
  expect((await get(page, `${base}sent/${dropId}`)).body).toContain(`href="${base}?again=${dropId}"`);
  expect(await page.locator('[name=title]').inputValue()).toBe('The plans');
  const files = page.locator('.sent-again');
  await files.getByRole('checkbox', { name: /b\.txt/ }).uncheck();
  await page.locator('.preview').getByText('a.txt').waitFor();
  const send = page.getByRole('button', { name: /^Send/ });
  await send.click();
  await page
    .getByText('Name at least one receiver', { exact: false })
    .or(page.locator('#receiver-problem'))
    .first()
    .waitFor();
  await page.getByRole('combobox', { name: 'To' }).fill('bo@example.org');
  await page.keyboard.press('Enter');
  const pictures = process.env['WAYBILL_TEST_PICTURES'];
  for (const [width, height] of pictures
    ? ([
        [1280, 900],
        [390, 844],
      ] as const)
    : []) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${pictures}/send-again-${width}-${colorScheme}.png`, fullPage: true });
    }
  }
  await send.click();
  await page.waitForURL(/\/sent\//, { waitUntil: 'commit' });
  const [first, again] = await readSent(account.accountId);
  expect(first?.files).toBe('a.txt b.txt c.txt');
  expect(again).toEqual({
    receivers: 'bo@example.org',
    files: 'a.txt c.txt',
    title: 'The plans',
    message: first?.message,
  });
  await visitor.context.close();
});

test('a delivery that has ended says so, and leaves its title and message', async () => {
  const visitor = await visit();
  const { account, base } = visitor.member;
  const page = await visitor.open();
  const email = 'r@example.org';
  await exchange.engines.store.contacts.replace(account.accountId, [
    { email, name: '', phone: '', language: '', groups: [] },
  ]);
  const dropId = await exchange.drop(account, [email], ['a.txt']);
  await exchange.expire(dropId);
  const { status, body } = await get(page, `${base}?again=${dropId}`);
  expect([status, body.includes('name="sent_file"')]).toEqual([200, false]);
  expect(body).toContain('That delivery has ended');
  expect((await get(page, `${base}?again=${account.accountId}`)).status).toBe(404);
  await visitor.context.close();
});
