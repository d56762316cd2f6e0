import { fileURLToPath } from 'node:url';
import type { Browser, Page, Request } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { afterAll, expect, test } from 'vitest';
import { launchBrowser } from '../../../../tools/shared/browser.ts';
import { useTestExchange } from '../../../test/exchange.ts';
import { sentLink } from '../../../test/links.ts';
import { testPages } from '../../../test/pages.ts';
import { buildTestServer } from '../../../test/server.ts';
import { signInMember } from '../../../test/sign-in-member.ts';
import { openLink } from '../../domain/links/open-link.ts';
import { recordDelivery } from '../../domain/links/record-delivery.ts';
import { changeWebhook, createWebhook } from '../../domain/webhooks/change-webhook.ts';
import { type Script, scripts as sources } from '../shared/asset-sources.ts';

/** A transaction in any database of the server, such as another test's, keeps new events from being seen until it ends. */
const timeout = 100_000;
const exchange = await useTestExchange();
const { engines } = exchange;
const scripts = new Map([
  ['frame.js', await buildScript('frame')],
  ['settings.js', await buildScript('settings')],
]);
const pages = {
  ...testPages,
  secureCookies: false,
  assets: {
    ...testPages.assets,
    files: new Map([...scripts].map(([name, code]) => [name, Buffer.from(code)])),
    href: toHref,
  },
};
const app = buildTestServer(exchange, {}, { pages });
const address = await app.listen({ port: 0, host: '127.0.0.1' });
const browser: Browser = await launchBrowser();
afterAll(async () => {
  await browser.close();
  await app.close();
});

function toHref(source: string): string {
  if (source === sources.settings) return '/assets/settings.js';
  return source.endsWith('.ts') || source.endsWith('.tsx') ? '/assets/frame.js' : '/assets/none';
}

async function buildScript(script: Script): Promise<string> {
  const { output } = (await build({
    configFile: false,
    root: fileURLToPath(new URL('../../../', import.meta.url)),
    logLevel: 'error',
    build: { write: false, modulePreload: false, rollupOptions: { input: sources[script] } },
  })) as Rolldown.RolldownOutput;
  return output.find((file) => file.type === 'chunk')?.code ?? '';
}

async function openScreen(path: string, session: string): Promise<Page> {
  const context = await browser.newContext();
  await context.addCookies([{ name: 'waybill_session', value: session, url: address }]);
  const page = await context.newPage();
  await page.goto(`${address}${path}`);
  await page.evaluate('window.isSame = true');
  return page;
}

test('a delivery is followed without a reload, and a session that is ended ends it', {
  timeout: 2 * timeout,
}, async () => {
  const { sender, dropId, link } = await sentLink(exchange, ['a.txt']);
  const account = { ...sender, apiKey: '' };
  const member = await signInMember(exchange, app, 'reader', account as Parameters<typeof signInMember>[3]);
  const secret = member.browser.cookies.get('__Host-waybill_session') ?? '';
  const page = await openScreen(`${member.base}sent/${dropId}`, secret);
  const receivers = page.locator('#delivery-receivers');
  expect(await receivers.textContent()).toMatch(/OpenedNot yetDownloadedNot yet/);
  await openLink(engines, link);
  await expect.poll(() => receivers.textContent(), { timeout }).toMatch(/Opened\d+:\d+.*DownloadedNot yet/);
  for (const { id, sizeBytes } of await engines.store.links.files(link)) {
    await recordDelivery(engines, link, [{ file: { id, sizeBytes }, sent: { start: 0, end: sizeBytes } }]);
  }
  await expect.poll(() => receivers.textContent(), { timeout }).toMatch(/1 of 1 ha(?:s|ve) everything/);
  expect(await page.evaluate('window.isSame')).toBe(true);
  await engines.store.sessions.end(member.person.id, 'all');
  await page.getByRole('alert').filter({ hasText: 'no longer signed in' }).waitFor();
});

test('a response that comes after that of a later load is not shown', { timeout: 2 * timeout }, async () => {
  const { sender, dropId, link } = await sentLink(exchange, ['a.txt']);
  const account = { ...sender, apiKey: '' };
  const member = await signInMember(exchange, app, 'reader', account as Parameters<typeof signInMember>[3]);
  const path = `${member.base}sent/${dropId}`;
  const page = await openScreen(path, member.browser.cookies.get('__Host-waybill_session') ?? '');
  const early = Promise.withResolvers<Request>();
  const isReleased = Promise.withResolvers<void>();
  await page.route(
    `${address}${path}`,
    async (route) => {
      const response = await route.fetch();
      early.resolve(route.request());
      await isReleased.promise;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  await openLink(engines, link);
  const request = await early.promise;
  for (const { id, sizeBytes } of await engines.store.links.files(link)) {
    await recordDelivery(engines, link, [{ file: { id, sizeBytes }, sent: { start: 0, end: sizeBytes } }]);
  }
  const receivers = page.locator('#delivery-receivers');
  const complete = /1 of 1 ha(?:s|ve) everything/;
  await expect.poll(() => receivers.textContent(), { timeout }).toMatch(complete);
  const late = page.waitForEvent('requestfinished', (each) => each === request);
  isReleased.resolve();
  await late;
  // The page has read the response by the time it has read another one.
  await page.evaluate('fetch(location.href).then((response) => response.text())');
  expect(await receivers.textContent()).toMatch(complete);
});

const password = 'seven purple lanterns over Uppsala';

/** An owner on a page of the settings, long after the sign-in. */
async function openLate(member: Awaited<ReturnType<typeof signInMember>>, part: string) {
  const { id, email } = member.person;
  await engines.store.signInMethods.setPassword(id, await engines.passwords.hash(password));
  const age = () =>
    exchange.database.query(
      "update sessions set authenticated_at = now() - interval '11 minutes' where person_id = $1",
      [id],
    );
  await age();
  const session = member.browser.cookies.get('__Host-waybill_session') ?? '';
  const page = await openScreen(`${member.base}settings/${part}`, session);
  const signIn = async () => {
    await page.waitForURL('**/sign-in?confirm**');
    await page.fill('#email', email);
    await page.fill('#password', password);
    await page.click('form[action="/sign-in"] button.button-main, form[action="/sign-in"] button:not([type=button])');
    await page.getByText('signed in again').waitFor();
  };
  return { page, age, signIn };
}

test('a form that is sent long after the sign-in leaves alone what somebody else has changed since', {
  timeout,
}, async () => {
  const member = await signInMember(exchange, app, 'owner');
  const actor = { ...member.account, author: engines.administrator };
  const input = { url: 'https://erp.example.org/hooks', description: '', types: null };
  const { id } = await createWebhook(engines, actor, input);
  const { page, signIn } = await openLate(member, `webhooks/${id}`);
  const form = page.locator('form[action$="webhooks/change"]');
  await form.locator('[name=description]').fill('Mine');
  const theirs = { url: 'https://erp.example.org/theirs', types: ['drop.completed'] } as const;
  await changeWebhook(engines, actor, { id, ifVersion: undefined }, theirs);
  const save = form.locator('.save-bar button').last();
  await save.click();
  await signIn();
  expect(await form.locator('[name=url]').inputValue()).toBe(theirs.url);
  await save.click();
  await page.getByText('The webhook is saved.').waitFor();
  expect(await engines.store.webhooks.list(actor.accountId, 1)).toMatchObject([{ ...theirs, description: 'Mine' }]);
});

test('a form that is sent long after the sign-in is there after another one, without its secrets', {
  timeout,
}, async () => {
  const member = await signInMember(exchange, app, 'owner');
  const { page, age, signIn } = await openLate(member, 'keys');
  await page.locator('details.add summary').click();
  const form = page.locator(`form[action="${member.base}settings/keys"]`);
  await form.locator('[name=name]').fill('ERP');
  await form.locator('[name=networks]').fill('192.0.2.0/24');
  const all = form.locator('[name=all]');
  if (await all.isChecked()) await all.uncheck({ force: true });
  await form.locator('[name=scope]').nth(0).uncheck({ force: true });
  await form.locator('[name=scope]').nth(1).check({ force: true });
  const scope = await form.locator('[name=scope]').nth(1).inputValue();
  await form.locator('button:not([type=button])').click();
  await signIn();
  expect(page.url()).toBe(`${address}${member.base}settings/keys`);
  await form.locator('[name=name]').waitFor();
  expect(await form.locator('[name=name]').inputValue()).toBe('ERP');
  expect(await engines.store.accounts.keys(member.account.accountId)).not.toContainEqual(
    expect.objectContaining({ name: 'ERP' }),
  );
  await form.locator('button:not([type=button])').click();
  await expect
    .poll(() => engines.store.accounts.keys(member.account.accountId))
    .toContainEqual(expect.objectContaining({ name: 'ERP', networks: ['192.0.2.0/24'], scopes: [scope] }));

  await page.goto(`${address}${member.base}settings`);
  await age();
  const fields = page.locator(`form[action="${member.base}settings/password"]`);
  await page.locator('details', { has: fields }).locator('summary').click();
  await page.fill('#current-password', password);
  await page.click('[data-reveals=new-password]');
  await page.fill('#new-password', 'eleven green kites over Umea');
  await fields.locator('button:not([type=button])').click();
  await page.waitForURL('**/sign-in?confirm**');
  expect(await page.evaluate("sessionStorage.getItem('waybill form')")).toContain('"fields":[]');
  await signIn();
  expect(await page.evaluate('document.activeElement.id')).toBe('current-password');
  expect(await page.inputValue('#new-password')).toBe('');
});

test('a link is copied by one press, and the values on every screen can be copied', { timeout }, async () => {
  const account = await exchange.account('r@example.org');
  const { browser: visitor, base } = await signInMember(exchange, app, 'owner', account);
  const dropId = await exchange.drop(account, ['r@example.org'], ['a.txt']);
  await exchange.database.query('update drops set notify = false where id = $1', [dropId]);
  const name = `page-${engines.random.uuid()}`.slice(0, 40);
  await engines.store.publicPages.set(account.accountId, { name, message: '', isOpen: true });
  const page = await openScreen(`${base}sent/${dropId}?sent=1`, visitor.cookies.get('__Host-waybill_session') ?? '');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const readClipboard = () => page.evaluate<string>('navigator.clipboard.readText()');

  await page.click('.sent-band [data-copies-link]');
  await expect.poll(() => page.locator('.sent-band [data-copies-link]').textContent(), { timeout }).toContain('Copied');
  expect(await readClipboard()).toMatch(/^https:\/\/[^/]+\/d\/[\w-]{43}$/);
  expect(await page.evaluate('window.isSame'), 'the page is the same').toBe(true);

  await page.goto(`${address}${base}requests`);
  await page.click('button[data-copy]');
  await expect.poll(readClipboard, { timeout }).toBe(`${engines.policy.publicUrl}/to/${name}`);
});

test('a list is shown as soon as a sender is chosen, and with the arrow keys by Enter', { timeout }, async () => {
  const { browser: visitor, base } = await signInMember(exchange, app, 'member');
  const page = await openScreen(`${base}sent`, visitor.cookies.get('__Host-waybill_session') ?? '');
  await page.locator('#filter-by').click();
  await page.selectOption('#filter-by', 'me');
  await page.waitForURL('**/sent?*by=me*', { timeout });

  await page.locator('#filter-by').focus();
  await page.keyboard.press('ArrowDown');
  expect(new URL(page.url()).searchParams.get('by')).toBe('me');
  await page.keyboard.press('Enter');
  await expect.poll(() => new URL(page.url()).searchParams.get('by'), { timeout }).not.toBe('me');
});
