// The whole way of a person with an account, from the invitation to the inbox: with the mouse, with the keyboard alone, on
// a phone, and without scripts.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { invitePerson, uniqueAddress } from '../lib/accounts.ts';
import { fullSize } from '../lib/full-size.ts';
import { appUrl, launchBrowser, phone, type Visitor, visit } from '../lib/people/browser.ts';
import { sendAsContact } from '../lib/people/contact-uploader.ts';
import { CountingInput, type InputMethod, keyboard, plain, pointer } from '../lib/people/input-method.ts';
import { measureLoad } from '../lib/people/measure-load.ts';
import { downloadZip, openedLink } from '../lib/people/opened-link.ts';
import { sentTo } from '../lib/people/receiver.ts';

const fileBytes = fullSize ? 200 * 1024 * 1024 : 300_000;
const names = ['Inspection 2291.pdf', 'Räksmörgås 日本.bin'] as const;
const password = 'seven purple lanterns over Uppsala';
const pictures = process.env['WAYBILL_PICTURES'];
const slowly = { timeout: fullSize ? 600_000 : 60_000 };

let browser: Browser;
let folder: string;
beforeAll(async () => {
  browser = await launchBrowser();
  folder = mkdtempSync(join(tmpdir(), 'waybill-app-'));
  for (const name of names) writeFileSync(join(folder, name), randomBytes(fileBytes));
  if (pictures) mkdirSync(pictures, { recursive: true });
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Way {
  readonly how: string;
  readonly context: BrowserContextOptions;
  readonly hand: (page: Page) => InputMethod;
  readonly scripts: boolean;
}

describe.each<Way>([
  { how: 'mouse', context: {}, hand: (page) => pointer(page, 'click'), scripts: true },
  { how: 'keyboard', context: {}, hand: keyboard, scripts: true },
  {
    how: 'phone',
    context: { viewport: phone, isMobile: true, hasTouch: true },
    hand: (page) => pointer(page, 'tap'),
    scripts: true,
  },
  { how: 'no-scripts', context: { javaScriptEnabled: false }, hand: plain, scripts: false },
])('$how', ({ how, context, hand: toHand, scripts }) => {
  let visitor: Visitor;
  let page: Page;
  let hand: CountingInput;
  let user: string;
  let base: string;
  let delivery: string;
  const [kim, ines] = [uniqueAddress('kim'), uniqueAddress('ines')];

  beforeAll(async () => {
    visitor = await visit(browser, context, appUrl());
    ({ page } = visitor);
    visitor.context.setDefaultTimeout(slowly.timeout / 3);
    hand = new CountingInput(toHand(page));
    if (!scripts) return;
    // The dialog that hands out handles cannot be used by a test; a browser without it has an ordinary one.
    await page.addInitScript(() => {
      Reflect.deleteProperty(window, 'showOpenFilePicker');
      // The authenticator would respond by itself to the passkey that is offered in the field for the address.
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
    });
    const devtools = await visitor.context.newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
  });
  afterAll(async () => {
    await visitor[Symbol.asyncDispose]();
  });

  const button = (name: string | RegExp): Locator =>
    page.getByRole('button', { name, exact: typeof name === 'string' });
  const link = (name: string | RegExp): Locator =>
    page.getByRole('link', { name, exact: typeof name === 'string' }).first();
  const shows = (text: string | RegExp) => page.locator('main').getByText(text).first().waitFor(slowly);
  const picture = async (step: string) => {
    if (pictures) await page.screenshot({ path: join(pictures, `${how}-${step}.png`), fullPage: how === 'phone' });
  };
  /** Without a script, a page shows news only when it is loaded again. */
  const showsSoon = async (text: string | RegExp) => {
    if (scripts) return shows(text);
    await expect
      .poll(async () => {
        await page.reload();
        return page.locator('main').getByText(text).count();
      }, slowly)
      .toBeGreaterThan(0);
  };

  test('accepts an invitation', async () => {
    const invited = await invitePerson('Maya Lindqvist', appUrl());
    ({ user } = invited);
    await page.goto(invited.link);
    await picture('1-invitation');
    await hand.press(button('Accept the invitation'));
    await page.waitForURL('**/sign-in/enrolment');
    await picture('2-enrolment');
    if (scripts) {
      await hand.press(button('Create a passkey'));
    } else {
      await hand.type(page.locator('#password'), password);
      await hand.press(button('Save the password'));
    }
    base = `${appUrl()}/${encodeURIComponent(user)}/`;
    await page.waitForURL(`${base}**`);
    expect(new URL(invited.link).origin).toBe(appUrl());
    const again = await fetch(invited.link);
    expect(again.status).toBe(410);
  });

  test('signs out, and in again by the first page', async () => {
    await hand.press(page.locator('.account-menu summary'));
    await hand.press(button('Sign out'));
    await page.waitForURL('**/sign-in?signed-out');
    await page.goto(`${appUrl()}/`);
    await picture('3-sign-in');
    if (scripts) {
      await hand.press(button('Sign in with a passkey'));
    } else {
      await hand.type(page.locator('#email'), user);
      await hand.type(page.locator('#password'), password);
      await hand.press(button('Continue'));
    }
    await page.waitForURL(`${base}**`);
  });

  test('adds two contacts', async () => {
    for (const [email, name] of [
      [kim, 'Kim Park'],
      [ines, 'Ines Albrecht'],
    ] as const) {
      await page.goto(`${base}contacts`);
      await hand.press(link('New contact'));
      await hand.type(page.getByLabel('E‑mail', { exact: true }), email);
      await hand.type(page.getByLabel('Name', { exact: true }), name);
      await hand.press(button('Save'));
      await shows(name);
    }
    await page.goto(`${base}contacts`);
    await shows('Kim Park');
    await shows('Ines Albrecht');
    await picture('4-contacts');
  });

  test('sends two files, in three steps', async () => {
    await page.goto(base);
    await picture('5-send-empty');
    const paths = names.map((name) => join(folder, name));
    await hand.choose(button('Choose files').or(page.locator('#files')).first(), paths);
    hand.count = 0;
    if (scripts) {
      await hand.type(page.getByRole('combobox', { name: 'To' }), 'Kim');
      if (how === 'keyboard') {
        await page.getByRole('option', { name: /Kim Park/ }).waitFor();
        await page.keyboard.press('Enter');
        hand.count += 1;
      } else {
        await hand.press(page.getByRole('option', { name: /Kim Park/ }));
      }
      await picture('6-send-filled');
      await hand.press(button('Send to 1 person'));
    } else {
      await hand.type(page.locator('#receiver'), 'Kim Park');
      await picture('6-send-filled');
      await hand.press(button('Send'));
    }
    await shows('Sent to 1 person');
    expect(hand.count).toBeLessThanOrEqual(3);
    await picture('7-sent');
    delivery = page.url();
  });

  test('sees without a reload that the receiver opens the page and downloads the files', async () => {
    let loads = 0;
    page.on('load', () => (loads += 1));
    const sent = await sentTo(kim);
    await showsSoon('The e‑mail to Kim Park was delivered');
    const opened = await openedLink(sent.link);
    await showsSoon('Kim Park opened the page');
    await picture('8-opened');
    expect(await downloadZip(opened)).toBeGreaterThan(2 * fileBytes);
    await showsSoon('Kim Park downloaded everything');
    await picture('9-downloaded');
    if (scripts) expect(loads).toBe(0);
    await page.goto(`${base}sent`);
    await shows('Kim Park');
    await shows('Downloaded');
    await picture('10-sent-list');
  });

  test('asks for files, and finds them in the inbox', async () => {
    await page.goto(`${base}requests`);
    await hand.press(link('Ask for files'));
    await hand.type(page.locator(scripts ? '#receiver-input' : '#receiver'), ines);
    await picture('11-ask');
    await hand.press(button(/^Ask (?:for files|1 person)/));
    await shows('Ines Albrecht');
    await picture('12-request');

    const content = randomBytes(10_000);
    await sendAsContact(ines, 'Signed lease.pdf', content);

    await showsSoon('Ines Albrecht sent files');
    await page.goto(`${base}inbox`);
    await hand.press(link(/Ines Albrecht/));
    await shows('Signed lease.pdf');
    await picture('13-inbox');
    const [download] = await Promise.all([page.waitForEvent('download'), hand.press(link(/Signed lease\.pdf/))]);
    expect(readFileSync(await download.path()).equals(content)).toBe(true);
    expect(visitor.complaints).toEqual([]);
  });

  if (how !== 'mouse') return;
  test.each([
    ['the composer', '', 100_000],
    ['a list', 'sent', 60_000],
    ['a delivery', 'delivery', 60_000],
    ['the inbox', 'inbox', 60_000],
    ['the requests', 'requests', 60_000],
    ['the contacts', 'contacts', 60_000],
    ['the settings', 'settings', 60_000],
  ])('%s does not move while it is read, weighs little, and comes from here alone', async (_what, path, most) => {
    const target = path === 'delivery' ? delivery : `${base}${path}`;
    const storageState = await visitor.context.storageState();
    await using reader = await visit(browser, { storageState }, appUrl());
    const { bytes, origins, shift } = await measureLoad(reader, (each) => each.goto(target));
    expect(shift).toBeLessThan(0.01);
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(most);
    expect(origins).toEqual(new Set([appUrl()]));
    expect(reader.complaints).toEqual([]);
  });
});
