// The way of a person with an account in every browser: from the invitation to a delivery that the receiver has downloaded,
// and to files in the inbox.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { invitePerson, uniqueAddress } from '../lib/accounts.ts';
import { appUrl } from '../lib/people/browser.ts';
import { sendAsContact } from '../lib/people/contact-uploader.ts';
import { downloadAll } from '../lib/people/opened-link.ts';
import { sentTo } from '../lib/people/receiver.ts';
import { startChromium, startFirefox } from './puppeteer-visitor.ts';
import { startWebKit } from './webkit-visitor.ts';

const pictures = new URL('../../gallery/browsers/', import.meta.url).pathname;
const names = ['report.pdf', 'Räksmörgås 日本.txt'];
const slowly = { timeout: 60_000 };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-browsers-'));
  for (const name of names) writeFileSync(join(folder, name), randomBytes(300_000));
  mkdirSync(pictures, { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  { browser: 'chromium', start: startChromium },
  { browser: 'firefox', start: startFirefox },
  { browser: 'webkit', start: startWebKit },
])('a person sends, follows, asks and receives in $browser', async ({ browser, start }) => {
  await using visitor = await start({ scripts: true, downloads: folder });
  const shows = async (text: string) => {
    const read = () =>
      visitor.evaluate<string>("document.readyState === 'complete' ? document.body.innerText : ''").catch(() => '');
    await expect.poll(read, slowly).toContain(text);
  };
  /** Waits for an element that a script adds to the page. */
  const appears = (selector: string) =>
    expect.poll(() => visitor.evaluate(`document.querySelector('${selector}') !== null`), slowly).toBe(true);
  const picture = async (step: string) =>
    writeFileSync(join(pictures, `${browser}-app-${step}.png`), await visitor.screenshot());
  const { user, link } = await invitePerson('Maya Lindqvist', appUrl());
  const base = `${appUrl()}/${encodeURIComponent(user)}/`;
  const [kim, ines] = [uniqueAddress('kim'), uniqueAddress('ines')];

  await visitor.resize(1280, 900);
  await visitor.open(link);
  await visitor.press('Accept the invitation');
  await shows('Choose how you’ll sign in');
  await visitor.fill('#password', 'seven purple lanterns over Uppsala');
  await visitor.press('Save the password');
  await shows('Send files');

  await appears('.composer-files');
  await visitor.choose(names.map((name) => join(folder, name)));
  await visitor.fill('#receiver-input', `${kim},`);
  await shows('Send to 1 person');
  await picture('send');
  await visitor.press('Send to 1 person');
  await shows('Sent to 1 person');
  await downloadAll((await sentTo(kim)).link);
  await shows(`${kim} downloaded everything`);
  await picture('delivery');

  await visitor.open(`${base}requests/new`);
  await appears('#receiver-input');
  await visitor.fill('#receiver-input', ines);
  await visitor.press('Ask for files');
  await shows(ines);
  await sendAsContact(ines, 'Signed lease.pdf', randomBytes(10_000));
  await shows(`${ines} sent files`);
  await visitor.open(`${base}inbox`);
  await shows('You asked for it');
  await visitor.open(await visitor.evaluate(`document.querySelector('main a[href*="/inbox/"]').href`));
  await shows('Signed lease.pdf');
  await picture('inbox');
});
