// The steps of receivers and contacts in every browser, with scripts on and off.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import type { Client } from '../lib/http/client.ts';
import { requestFiles, waitForInbox } from '../lib/people/contact.ts';
import { end, readReceiverState, type Sent, sendFiles } from '../lib/people/receiver.ts';
import { adminJson } from '../lib/servers/admin.ts';
import { startChromium, startFirefox } from './puppeteer-visitor.ts';
import type { Visitor } from './visitor.ts';
import { startWebKit } from './webkit-visitor.ts';

const run = promisify(execFile);
const pictures = new URL('../../gallery/browsers/', import.meta.url).pathname;
const files = [
  { name: 'report.pdf', content: randomBytes(300_000) },
  { name: 'Räksmörgås 日本.txt', content: Buffer.from('smörgås') },
] as const;
const slowly = { timeout: 30_000 };

let client: Client;
let folder: string;
beforeAll(async () => {
  client = await freshClient('sender');
  folder = mkdtempSync(join(tmpdir(), 'waybill-browsers-'));
  for (const { name, content } of files) writeFileSync(join(folder, name), content);
  mkdirSync(pictures, { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Reads the text of the page once it and its scripts are loaded; empty for a page that is just being left. */
function readText(visitor: Visitor): Promise<string> {
  return visitor.evaluate<string>("document.readyState === 'complete' ? document.body.innerText : ''").catch(() => '');
}

async function shows(visitor: Visitor, text: string): Promise<void> {
  await expect.poll(() => readText(visitor), slowly).toContain(text);
}

/** Waits until a download is complete: some browsers write it under its own name from the start. */
async function arrives(downloads: string, { name, content }: (typeof files)[number]): Promise<void> {
  const path = join(downloads, name);
  await expect.poll(() => existsSync(path) && readFileSync(path).equals(content), slowly).toBe(true);
}

async function zipArrives(downloads: string): Promise<void> {
  const isIntact = async () => {
    const zip = readdirSync(downloads).find((name) => name.endsWith('.zip'));
    if (zip === undefined) return false;
    const { stdout } = await run('unzip', ['-t', join(downloads, zip)]).catch(() => ({ stdout: '' }));
    return stdout.includes('No errors detected');
  };
  await expect.poll(isIntact, slowly).toBe(true);
}

describe.each([
  { browser: 'chromium', start: startChromium, vouches: true },
  { browser: 'firefox', start: startFirefox, vouches: true },
  // Does not send Sec-Fetch-User.
  { browser: 'webkit', start: startWebKit, vouches: false },
])('in $browser', ({ browser, start, vouches }) => {
  const newDownloads = () => mkdtempSync(join(folder, 'downloads-'));
  const picture = async (visitor: Visitor, what: string) =>
    writeFileSync(join(pictures, `${browser}-${what}.png`), await visitor.screenshot());

  /** The buttons of the mail and of the page behind its link. */
  const buttons = { files: ['View files', 'View files'], request: ['Upload files', 'Send files'] } as const;

  /** Shows the mail as a mail program does, and opens its link as a person does. */
  async function openFromMail(
    visitor: Visitor,
    { mail }: Sent,
    kind: keyof typeof buttons,
    scripts: boolean,
  ): Promise<void> {
    const path = join(mkdtempSync(join(folder, 'mail-')), 'mail.html');
    writeFileSync(path, mail.email.html ?? '');
    await visitor.open(pathToFileURL(path).href);
    const [button, opening] = buttons[kind];
    await visitor.press(button);
    await shows(visitor, 'Why do I have to click?');
    await visitor.press(opening);
    if (scripts || vouches) return;
    await shows(visitor, 'Type the word');
    await visitor.type('open');
    await visitor.press('Continue');
  }

  describe.each([
    { scripts: true, how: 'with-scripts' },
    { scripts: false, how: 'without-scripts' },
  ])('$how', ({ scripts, how }) => {
    test('a receiver gets the files of a mail, and closes the page', async () => {
      const sent = await sendFiles(client, [...files]);
      const downloads = newDownloads();
      await using visitor = await start({ scripts, downloads });
      await openFromMail(visitor, sent, 'files', scripts);
      await shows(visitor, 'has sent you 2 files');
      expect(await readText(visitor)).not.toContain('Downloaded');

      await visitor.press(`Download ${files[0].name}`);
      await arrives(downloads, files[0]);
      // Without a script, the page says it when it is loaded again.
      if (!scripts) await visitor.open(await visitor.evaluate('location.href'));
      await shows(visitor, 'Downloaded');
      await visitor.press('Download all');
      await zipArrives(downloads);
      await picture(visitor, `receiver-${how}`);
      await expect.poll(() => readReceiverState(sent), slowly).toEqual({ opened: true, complete: true, deliveries: 2 });
      await visitor.press('On a shared computer? Close this page here');
      await shows(visitor, 'This page is closed');
      await picture(visitor, `receiver-done-${how}`);
    });

    test('a contact sends files, and they arrive in the inbox', async () => {
      const sentRequest = await requestFiles(client);
      await using visitor = await start({ scripts, downloads: newDownloads() });
      await openFromMail(visitor, sentRequest, 'request', scripts);
      await shows(visitor, scripts ? 'Choose files' : 'Files');
      await visitor.choose(files.map(({ name }) => join(folder, name)));
      if (scripts) await shows(visitor, 'Ready to send');
      await visitor.press(scripts ? `Send ${files.length} files` : 'Send');
      await shows(visitor, 'have been sent to');
      await picture(visitor, `contact-${how}`);

      const entry = await waitForInbox(client, sentRequest.contact);
      for (const { name, content } of files) {
        const { body } = await client.download(entry.url, name);
        expect([name, body.equals(content)]).toEqual([name, true]);
      }
    });
  });

  test('every page fits a screen of 320 px', async () => {
    const careful = await freshClient('careful');
    await adminJson(['accounts', 'set', '--email', careful.user, '--second-factor', 'mail', '--json']);
    const long = { name: `${'a-very-long-name-without-any-place-to-break-it-'.repeat(4)}.pdf`, content: 'long' };
    const expired = await sendFiles(client, [long]);
    await end(expired);
    const pages = [
      { what: 'expired', link: expired.link, says: 'has expired', opens: undefined },
      {
        what: 'code',
        link: (await sendFiles(careful, [long])).link,
        says: 'Enter the six-digit code',
        opens: 'View files',
      },
      {
        what: 'download',
        link: (await sendFiles(client, [long])).link,
        says: 'has sent you a file',
        opens: 'View files',
      },
      { what: 'upload', link: (await requestFiles(client)).link, says: 'Choose files', opens: 'Send files' },
    ];
    await using visitor = await start({ scripts: true, downloads: newDownloads() });
    await visitor.resize(320, 640);
    const overhang = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    for (const { what, link, says, opens } of pages) {
      await visitor.open(link);
      if (opens) await visitor.press(opens);
      await shows(visitor, says);
      expect([what, ...(await visitor.evaluate<number[]>(`[innerWidth, ${overhang}]`))]).toEqual([what, 320, 0]);
      await picture(visitor, `320-${what}`);
    }
  });
});
