// A receiver who wants no more mail from a sender.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import { launchBrowser, phone, visit } from '../lib/people/browser.ts';
import { linkTokens, mailsTo, waitForMail } from '../lib/people/mailbox.ts';
import { sendFiles } from '../lib/people/receiver.ts';
import { dispatch } from '../lib/scenario.ts';
import { adminJson } from '../lib/servers/admin.ts';
import { query } from '../lib/servers/exchange-internals.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { eventually } from '../lib/wait.ts';

const files = [{ name: 'a.txt', content: 'unwanted' }];

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

test('a receiver stops a sender with the button of their mail program, and allows it again without scripts', async () => {
  const client = await freshClient('unwanted');
  const { receiver, mail } = await sendFiles(client, files);
  const header = (key: string) => mail.email.headers.find((each) => each.key === key)?.value;
  const [token] = linkTokens(mail, 'm');
  const stopLink = `${demo().base_url}/m/${token}`;
  expect(header('list-unsubscribe')).toBe(`<${stopLink}>`);
  expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');

  const form = new FormData();
  form.set('List-Unsubscribe', 'One-Click');
  const response = await fetch(stopLink, { method: 'POST', body: form, redirect: 'manual' });
  expect(response.status).toBe(200);
  const told = await waitForMail(client.user);
  expect(told.email.subject).toBe(`${receiver} no longer wants messages from you`);

  await dispatch(client, { to: [receiver], files });
  await eventually('the sender is told of the second drop', async () =>
    (await mailsTo(client.user)).length === 2 ? true : undefined,
  );
  expect(await mailsTo(receiver)).toHaveLength(1);
  const [drop] = await query<{ id: string }>('select max(drop_id::text) as id from links where email = $1', [receiver]);
  const show = ['drops', 'show', drop?.id ?? '', '--account', client.user, '--json'];
  expect(await adminJson(show)).toMatchObject([
    { receiver, notifiedAt: null, undeliverableReason: 'the receiver wants no more mail from this account' },
  ]);

  await using visitor = await visit(browser, { viewport: phone, javaScriptEnabled: false });
  await visitor.page.goto(stopLink);
  expect(await visitor.page.locator('h1').textContent()).toBe(`You have stopped messages from ${client.user}`);
  await visitor.page.getByRole('button', { name: 'Allow messages again' }).click();
  await visitor.page.getByRole('button', { name: 'Stop messages' }).waitFor();
  expect(visitor.complaints).toEqual([]);
  await dispatch(client, { to: [receiver], files });
  await eventually('a mail to the receiver', async () => ((await mailsTo(receiver)).length === 2 ? true : undefined));
});

test('an administrator lets mail through again', async () => {
  const client = await freshClient('unwanted');
  const { receiver, mail } = await sendFiles(client, files);
  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
  await fetch(`${demo().base_url}/m/${linkTokens(mail, 'm')[0]}`, { method: 'POST', body });
  const account = ['--account', client.user, '--json'];
  expect(await adminJson(['mail', 'stopped', 'list', ...account])).toMatchObject([{ address: receiver }]);
  expect(await adminJson(['mail', 'stopped', 'remove', receiver, ...account])).toEqual({ allowed: receiver });
});
